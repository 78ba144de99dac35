import type { PointRule } from '../rule.ts';
import { known } from '../printed-room.ts';
import { percent, showMs } from '../wording.ts';

const keys = ['ttftMs.max', 'ttftMs.min', 'itlMs.max', 'itlMs.min'] as const;

/** Times that the server reported in whole milliseconds, cut off below. */
export const integerMilliseconds: PointRule = {
  code: 'integer-milliseconds',
  severities: ['warn'],
  meaning: {
    en: 'Smallest and largest times are whole milliseconds: the server reported them floored, which lowers every gap by half a millisecond on average. Such a table must not be compared with one that was timed by the client.',
    zh: '最小与最大时间均为整毫秒：由服务器向下取整上报，平均使每个间隔偏低 0.5 ms。这类表不能与客户端计时的表比较。',
  },
  taughtBy:
    'Two of six published MindIE tables (19 March 2025): DecodeTime 29.1162 ms printed, 29.64 ms by (GenerateTime − FirstTokenTime)/(tokens − 1).',
  check(point) {
    const digits = keys.map((key) => (Object.hasOwn(point.printed, key) ? point.printed[key]! : null));
    if (digits.some((text) => text === null || text.includes('.') || Number(text) < 2)) return null;
    const [latency, ttft, tokens, gap] = [
      point.latencyMs?.mean,
      point.ttftMs?.mean,
      point.outputTokens?.mean,
      point.itlMs?.mean,
    ];
    const byClient =
      known(latency) && known(ttft) && known(tokens) && tokens > 1 ? (latency - ttft) / (tokens - 1) : null;
    const low = byClient !== null && known(gap) ? 1 - gap / byClient : null;
    return {
      severity: 'warn',
      message: {
        en: `Times are whole milliseconds, floored by the server${low === null ? '' : `: the mean gap is printed as ${showMs(gap!)}, the client saw ${showMs(byClient!)} (${percent(low)} more)`}.`,
        zh: `时间为服务器向下取整的整毫秒${low === null ? '' : `：平均间隔标注为 ${showMs(gap!)}，客户端实际为 ${showMs(byClient!)}（高 ${percent(low)}）`}。`,
      },
      evidence: { ttftMax: digits[0]!, itlMax: digits[2]!, printedGapMs: gap ?? null, clientGapMs: byClient },
      advice: {
        en: 'Compare it only with tables of the same kind, or compute the gap from total time and tokens.',
        zh: '仅与同类表格比较，或由总时间与 token 数计算间隔。',
      },
    };
  },
};
