import { parseLimit } from '../../results/audit/index.ts';
import { parseRunGate, parseSlo } from '../../results/measure/index.ts';
import { parseStop } from '../stop-rules/parse-stop.ts';
import { textFor, wholeNumber } from './readers.ts';
import { many, one } from './setting.ts';
import type { Setting } from './setting.ts';

/** Promises, conditions that fail a run, rules that end it early, and retries. They are part of planSettings. */
export const limitSettings = {
  slo: many(
    'slo RULE',
    textFor(parseSlo),
    "promise that is told kept or broken (exit 4): 'ttft.p99<2s' is the run's, 'ttft<2s' each request's",
    "时延承诺，逐条给出达标/未达标（未达标以 4 退出）：'ttft.p99<2s' 针对整次运行，'ttft<2s' 针对每个请求",
  ),
  failIf: many(
    'fail-if CONDITION',
    textFor(parseRunGate),
    "what must not come true, such as 'ttft.p99>2s': exit 4 when it surely did, 5 when that is not sure",
    "不允许出现的条件，例如 'ttft.p99>2s'：确定出现时以 4 退出，无法确定时以 5 退出",
  ),
  retry: one(
    'retry COUNT',
    wholeNumber(0, 100),
    'ask again, at most so often, when turned away (429, 502–504, no connection); Retry-After is obeyed, waiting counts as latency (default: never)',
    '被拒绝（429、502–504、无法连接）时最多重试次数；遵守 Retry-After，等待计入延迟（默认：不重试）',
  ),
  stopWhen: many(
    'stop-when RULE',
    textFor(parseStop),
    "end early: 'failed>5%', saturated, slo-lost, 'tokens>1M', 'requests>10k', 'time>30m', 'cost>5 at 3.2/h'; repeatable",
    "提前结束：'failed>5%'、saturated、slo-lost、'tokens>1M'、'requests>10k'、'time>30m'、'cost>5 at 3.2/h'；可重复",
  ),
  limit: many(
    'limit NAME=SHARE',
    textFor(parseLimit),
    'another number for the verdict, as failed-invalid=80% (docs/reference/findings.md lists them); repeatable',
    '修改判定所用的数值，如 failed-invalid=80%（见 docs/reference/findings.md）；可重复',
  ),
} as const satisfies Record<string, Setting<unknown>>;
