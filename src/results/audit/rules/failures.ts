import { problems } from '../../../core/index.ts';
import type { Counts, ProblemCode } from '../../../core/index.ts';
import { limitOf } from '../limits.ts';
import { known } from '../printed-room.ts';
import type { Doubt, PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** Requests that failed, with their commonest causes. */
export const failures: PointRule = {
  code: 'failures',
  severities: ['info', 'warn', 'invalid'],
  meaning: {
    en: 'Some requests failed. Latencies describe the survivors only; from 1 % on the slow end is probably missing from them, and the first line says so; above 50 % the figures are not valid.',
    zh: '部分请求失败。延迟只反映幸存者；失败率达到 1% 时，其中很可能缺少最慢的部分，并写入首行；超过 50% 时结果无效。',
  },
  taughtBy:
    'Published gateway comparisons rank by latency while one side fails 10 % of its requests at the timeout, which shortens its latencies. A vLLM that was killed left runs of 8 % survivors that were valid.',
  check(point, context) {
    const { failed, ok } = point.counts;
    if (!known(failed) || failed === 0 || ok === 0) return null;
    if (!known(ok)) return ofUnknownTotal(failed, point.counts.planned);
    const ended = failed + ok;
    const top = topProblems(point.counts).slice(0, 3);
    const listEn = top.map((t) => `${problems[t.code].en} (${t.count})`).join(', ');
    const listZh = top.map((t) => `${problems[t.code].zh}（${t.count}）`).join('，');
    const ratio = failed / ended;
    const [warn, invalid] = [limitOf(context, 'failed-warn'), limitOf(context, 'failed-invalid')];
    return {
      severity: ratio > invalid ? 'invalid' : ratio >= warn ? 'warn' : 'info',
      message: {
        en: `${failed} of ${ended} requests failed (${percent(ratio)})${listEn ? `: ${listEn}` : ''}. Latencies describe the survivors only.`,
        zh: `${ended} 个请求中 ${failed} 个失败（${percent(ratio)}）${listZh ? `：${listZh}` : ''}。延迟只反映成功的请求。`,
      },
      evidence: { failed, ended, failedRatio: ratio, topProblem: top[0]?.code ?? null },
      advice: {
        en: 'Mend the cause or lower the load; do not compare latencies with a point that fails less.',
        zh: '解决失败原因或降低负载；不要与失败率更低的点比较延迟。',
      },
    };
  },
};

function ofUnknownTotal(failed: number, planned: number | null): Doubt {
  const share = known(planned) && planned > 0 ? percent(failed / planned) : null;
  return {
    severity: 'warn',
    message: {
      en:
        share === null
          ? `${failed} requests failed; the source does not say of how many.`
          : `${failed} of the ${planned} requests asked for failed (${share}); the source does not say how many succeeded.`,
      zh:
        share === null
          ? `${failed} 个请求失败；来源未说明总数。`
          : `要求的 ${planned} 个请求中 ${failed} 个失败（${share}）；来源未说明成功数。`,
    },
    evidence: { failed, ...(share !== null && { planned }) },
    advice: {
      en: 'Find the log of this point before comparing its latencies with others.',
      zh: '在与其他点比较延迟之前，请查找该点的日志。',
    },
  };
}

/** The causes of a point's failures, commonest first. */
export function topProblems(counts: Counts): { code: ProblemCode; count: number }[] {
  return (Object.entries(counts.byProblem) as [ProblemCode, number][])
    .filter(([code]) => code !== 'not-sent' && code !== 'cancelled' && code !== 'dropped-late')
    .map(([code, count]) => ({ code, count }))
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}
