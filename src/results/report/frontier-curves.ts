import type { Phrase, Sweep } from '../../core/index.ts';
import { isGrid } from '../../core/index.ts';
import {
  fixedSpeeds,
  frontierOf,
  frontierPoints,
  frontierSpeeds,
  frontierUnits,
  throughputAt,
} from '../measure/index.ts';
import type { FrontierPoint, FrontierSpeed, FrontierUnit, MachineOf } from '../measure/index.ts';
import { loadLines } from './chart/load-lines.ts';

/** One system's points by one unit and one speed. */
export interface FrontierCurve {
  name: string;
  points: FrontierPoint[];
  frontier: FrontierPoint[];
}

/** The curves of all systems by one unit, for each speed that is known of all of them. */
export interface UnitCurves {
  unit: FrontierUnit;
  bySpeed: { speed: FrontierSpeed; curves: FrontierCurve[] }[];
}

export const unitNames = {
  system: { en: 'Throughput of the system (output tokens/s)', zh: '系统吞吐量（输出 tok/s）' },
  card: { en: 'Throughput per card (output tokens/s)', zh: '单卡吞吐量（输出 tok/s）' },
  watt: { en: 'Throughput per watt (output tokens/J)', zh: '每瓦吞吐量（输出 token/焦耳）' },
  price: { en: 'Output tokens per unit of price (tokens)', zh: '每单位价格的输出 token 数（token）' },
} as const satisfies Record<FrontierUnit, Phrase>;

export const speedNames = {
  p50: { en: 'half of the users', zh: '半数用户' },
  p10: { en: '9 of 10 users', zh: '90% 的用户' },
  p1: { en: '99 of 100 users', zh: '99% 的用户' },
} as const satisfies Record<FrontierSpeed, Phrase>;

const nobody: MachineOf = () => ({ pricePerHour: null, cards: null, powerW: null });

/** By every unit that is known of all systems; by the system itself where none is. Empty where nobody has two loads. */
export function frontierCurves(sweeps: readonly Sweep[], machineOf: MachineOf = nobody): UnitCurves[] {
  const lines = loadLines(sweeps.filter(({ points }) => !isGrid(points)));
  const all = frontierUnits.flatMap((unit): UnitCurves[] => {
    const bySpeed = frontierSpeeds.flatMap((speed) => {
      const curves = lines.map(({ name, points: loads }): FrontierCurve => {
        const points = frontierPoints(loads, unit, speed, machineOf);
        return { name, points, frontier: frontierOf(points) };
      });
      return curves.every(({ points }) => points.length > 0) ? [{ speed, curves }] : [];
    });
    return bySpeed.some(({ curves }) => curves.some(({ points }) => points.length > 1)) ? [{ unit, bySpeed }] : [];
  });
  const divided = all.filter(({ unit }) => unit !== 'system');
  return divided.length > 0 ? divided : all;
}

/** What some systems have and others lack, so that nothing is divided by it. */
export function missingUnits(sweeps: readonly Sweep[], machineOf: MachineOf = nobody): Phrase[] {
  const facts = { cards: 'cards', powerW: 'power', pricePerHour: 'price' } as const;
  return (Object.keys(facts) as (keyof typeof facts)[]).flatMap((key) => {
    const known = sweeps.map(({ points }) => points.every((point) => machineOf(point)[key] !== null));
    if (known.every(Boolean) || !known.some(Boolean)) return [];
    const fact = facts[key];
    return [
      {
        en: `${fact} is known of some only; set it with dyno runs set RUN ${fact}=…`,
        zh: `仅部分结果已知 ${fact}；可用 dyno runs set RUN ${fact}=… 设置`,
      },
    ];
  });
}

/** Throughput at fixed speeds: a row for each speed, a cell for each curve; null = beyond what was measured. */
export function atSpeeds({ bySpeed }: UnitCurves): { speed: number; cells: (number | null)[] }[] {
  const frontiers = bySpeed.flatMap(({ curves }) => curves.map(({ frontier }) => frontier));
  return fixedSpeeds(frontiers).map((speed) => ({
    speed,
    cells: frontiers.map((frontier) => throughputAt(frontier, speed)),
  }));
}

/** The curves as JSON has them. */
export function frontierDocument(sweeps: readonly Sweep[], machineOf?: MachineOf): unknown[] {
  return frontierCurves(sweeps, machineOf).flatMap((curves) => {
    const speeds = atSpeeds(curves).map(({ speed }) => speed);
    return curves.bySpeed.flatMap(({ speed, curves: list }) =>
      list.map(({ name, points, frontier }) => ({
        name,
        unit: curves.unit,
        speed,
        points,
        at: speeds.map((at) => ({ userTokensPerSec: at, throughput: throughputAt(frontier, at) })),
      })),
    );
  });
}
