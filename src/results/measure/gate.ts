import { UserError } from '../../core/index.ts';
import { parseSlo } from './slo.ts';
import type { MetricWord, Slo, Statistic } from './slo.ts';

/** One condition of `--fail-if`, understood: about the change against the baseline, or about the candidate alone. */
export type Gate =
  | { text: string; kind: 'change'; metric: MetricWord; statistic: Statistic; op: Slo['op']; ratio: number }
  | { text: string; kind: 'value'; slo: Slo };

const shape = /^\s*([A-Za-z]+(?:\.[A-Za-z0-9]+)?)\s*(<=|>=|<|>)\s*([+-]?\d{1,9}(?:\.\d{1,9})?)\s*%\s*$/;

/**
 * Understands a condition: with a percent sign it is the change against the baseline (`outputTokensPerSec<-5%`; for
 * `failed` the difference in percentage points), else a limit on the candidate as in `--slo`.
 */
export function parseGate(text: string): Gate {
  const match = shape.exec(text);
  if (match === null) return { text: text.trim(), kind: 'value', slo: failIf(() => parseSlo(text)) };
  const [, word, op, digits] = match as unknown as [string, string, Slo['op'], string];
  const isTime = /^(ttft|tpot|itl|latency|lateness)(\.|$)/.test(word);
  // The same words as an SLO, so the same reader says what is wrong with them.
  const { metric, statistic } = failIf(() => parseSlo(`${word}${op}1${isTime ? 'ms' : ''}`));
  return { text: text.trim(), kind: 'change', metric, statistic: statistic ?? 'mean', op, ratio: Number(digits) / 100 };
}

/** The SLO reader's mistakes, told of the flag they were made in. */
function failIf(read: () => Slo): Slo {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      error.mistakes.map((mistake) => ({
        ...mistake,
        code: 'bad-fail-if',
        message: {
          en: mistake.message.en.replace(/^SLO/, 'condition'),
          zh: mistake.message.zh.replace(/^SLO/, '条件'),
        },
        hint: {
          en: `Write for example 'outputTokensPerSec<-5%', 'latency.p99>10%', 'ttft.p99>2s'. ${mistake.hint.en}`,
          zh: `例如 'outputTokensPerSec<-5%'、'latency.p99>10%'、'ttft.p99>2s'。${mistake.hint.zh}`,
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
