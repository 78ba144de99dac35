import type { Phrase } from '../../../core/index.ts';
import { deviceLabel } from './device.ts';
import type { Device } from './device.ts';

/** Figures that a layout tells where it is whole, by what they are called in a warning. */
const figures = {
  memoryTotalBytes: { en: 'memory', zh: '显存总量' },
  memoryUsed: { en: 'memory in use', zh: '已用显存' },
  utilizationRatio: { en: 'use', zh: '利用率' },
  powerW: { en: 'power', zh: '功率' },
  temperatureC: { en: 'temperature', zh: '温度' },
} as const satisfies Record<string, Phrase>;

export type ExpectedFigure = keyof typeof figures;

/** All of them. */
export const allFigures = Object.keys(figures) as ExpectedFigure[];

/**
 * One warning for the figures of a card that its layout is known to tell and this text does not: a line that is missing
 * would otherwise look like a card that has nothing to say.
 */
export function untoldFigures(device: Device, expected: readonly ExpectedFigure[]): Phrase[] {
  const untold = expected.filter((figure) =>
    figure === 'memoryUsed'
      ? device.memoryUsedBytes === null && device.memoryUsedRatio === null
      : device[figure] === null,
  );
  if (untold.length === 0) return [];
  const card =
    device.index === null && device.card !== null
      ? `${device.vendor} ${device.card}/${device.chip ?? '?'}`
      : deviceLabel(device);
  return [
    {
      en: `${card}: the output does not tell ${untold.map((figure) => figures[figure].en).join(', ')}; left unknown`,
      zh: `${card}：输出中没有${untold.map((figure) => figures[figure].zh).join('、')}，按未知处理`,
    },
  ];
}
