import { userError, UserError } from '../../core/index.ts';
import type { Mistake } from '../../core/index.ts';
import { parseSlo, plainPromise } from './slo.ts';
import type { MetricWord, Slo, Statistic } from './slo.ts';

/**
 * One condition of `--fail-if`, understood: about the change against the baseline, or about the run alone. A limit is held as the promise
 * that it breaks: `ttft.p99>2s` must not come true, so `ttft.p99<=2s` is promised.
 */
export type Gate =
  | { text: string; kind: 'change'; metric: MetricWord; statistic: Statistic; op: Slo['op']; ratio: number }
  | { text: string; kind: 'value'; promise: Slo };

const shape = /^\s*([A-Za-z]+(?:\.[A-Za-z0-9]+)?)\s*(<=|>=|<|>)\s*([+-]?)(\d{1,9}(?:\.\d{1,9})?)\s*%\s*$/;
const opposite = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;

/**
 * Understands a condition. With a percent sign it is the change against the baseline (`outputTokensPerSec<-5%`), else a limit as in
 * `--slo`. `failed` and `goodput` are shares and have limits in percent of their own: `failed>1%` is that share, `failed>+1%`, with a
 * sign, is the difference from the baseline in percentage points.
 */
export function parseGate(typed: string): Gate {
  const text = plainPromise(typed);
  const match = shape.exec(text);
  const [, word, op, sign, digits] = (match ?? []) as unknown as [string, string, Slo['op'], string, string];
  if (match === null || (sign === '' && /^(failed|goodput)$/i.test(word))) {
    const condition = failIf(() => parseSlo(text));
    return { text, kind: 'value', promise: { ...condition, op: opposite[condition.op] } };
  }
  const isTime = /^(ttft|tpot|itl|latency|lateness)(\.|$)/i.test(word);
  // The same words as an SLO, so the same reader says what is wrong with them.
  const { metric, statistic } = failIf(() => parseSlo(`${word}${op}1${isTime ? 'ms' : ''}`));
  const ratio = Number(`${sign}${digits}`) / 100;
  return { text, kind: 'change', metric, statistic: statistic ?? 'mean', op, ratio };
}

/** A condition on a run that stands alone; one about a change has no baseline there. */
export function parseRunGate(text: string): Gate & { kind: 'value' } {
  const gate = parseGate(text);
  if (gate.kind === 'value') return gate;
  throw userError(
    'bad-fail-if',
    `condition ${JSON.stringify(text.slice(0, 80))} is a change, and a run alone has no baseline`,
    `条件 ${JSON.stringify(text.slice(0, 80))} 是相对变化，而单次运行没有基线`,
    "Use it in `dyno compare BASELINE RUN`, or write a limit such as --fail-if 'ttft.p99>2s'.",
    "请在 `dyno compare 基线 运行` 中使用，或写成限值，例如 --fail-if 'ttft.p99>2s'。",
    '--fail-if',
  );
}

/** The SLO reader's mistakes, told of the flag they were made in. */
function failIf(read: () => Slo): Slo {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      error.mistakes.map((mistake): Mistake => ({
        ...mistake,
        code: 'bad-fail-if',
        message: {
          en: mistake.message.en.replace(/^SLO/, 'condition'),
          zh: mistake.message.zh.replace(/^SLO/, '条件'),
        },
        hint: {
          en: `Write for example 'outputTokensPerSec<-5%', 'latency.p99>10%'; limits as in --slo. ${mistake.hint.en}`,
          zh: `例如 'outputTokensPerSec<-5%'、'latency.p99>10%'；限值写法同 --slo。${mistake.hint.zh}`,
        },
        place: { flag: '--fail-if' },
      })),
    );
  }
}

/** Whether a number stands in a relation to a limit. */
export function holds(op: Slo['op'], value: number, limit: number): boolean {
  switch (op) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
  }
}
