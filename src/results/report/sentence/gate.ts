import { printable } from '../../../core/index.ts';
import type { Phrase } from '../../../core/index.ts';
import type { GateResult } from '../../measure/index.ts';
import { percent } from '../figure-text.ts';
import { countFigure, shareFigure, shortFigure, timeFigure } from './short-figure.ts';

/** What became of a condition of --fail-if; place and load where several points were judged. */
export type GateOutcome = Pick<GateResult, 'text' | 'state' | 'measured' | 'needs' | 'load'> & {
  place?: string | undefined;
  /** Absent = nothing is compared. */
  comparable?: boolean;
};

const states = {
  passed: { en: 'passed', zh: '通过' },
  failed: { en: 'FAILED', zh: '未通过' },
  unsure: { en: 'NOT SURE', zh: '无法确定' },
  unknown: { en: 'not known', zh: '未知' },
} as const satisfies Record<GateOutcome['state'], Phrase>;

/** A condition in one line: what came of it, what was measured, and how many requests would make it sure. */
export function gateWords({ text, state, measured, needs, load, place, comparable }: GateOutcome): Phrase {
  const where = place === undefined && load === null ? '' : ` @ ${printable(place ?? String(load))}`;
  const head = `${printable(text)}${where}${measured === null ? '' : ` (${figureOf(text, measured)})`}`;
  const enough = needs === null ? null : countFigure(needs);
  const rest: Phrase =
    state !== 'unsure'
      ? { en: '', zh: '' }
      : enough === null
        ? comparable === false
          ? { en: ': the two cannot be compared', zh: '：两者不可比' }
          : { en: ': too near to tell, or no requests at hand', zh: '：过于接近，或没有逐请求数据，无法判断' }
        : {
            en: `: about ${enough} requests would tell (-n ${needs})`,
            zh: `：约需 ${enough} 个请求才能判断（-n ${needs}）`,
          };
  return { en: `${states[state].en}: ${head}${rest.en}`, zh: `${states[state].zh}：${head}${rest.zh}` };
}

function figureOf(text: string, measured: number): string {
  if (/^\s*(ttft|tpot|itl|latency|lateness)\b.*[a-z]\s*$/.test(text)) return timeFigure(measured);
  if (/^\s*(failed|goodput)[^+-]*$/.test(text)) return shareOrRate(text, measured);
  if (/%\s*$/.test(text)) return `${measured >= 0 ? '+' : ''}${percent(measured)}`;
  return shortFigure(measured);
}

function shareOrRate(text: string, measured: number): string {
  return /^\s*failed|%\s*$/.test(text) ? shareFigure(measured) : shortFigure(measured);
}
