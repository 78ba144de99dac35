import type { Summary } from '../../../core/index.ts';
import { known } from '../printed-room.ts';
import type { ComparisonRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** Losing this much more of the requests makes the survivors another population. */
const limit = 0.01;

/** One side lost more of its requests. */
export const failuresDiffer: ComparisonRule = {
  code: 'failures-differ',
  severities: ['warn'],
  meaning: {
    en: 'One side failed or lost more requests. Lost requests are the slow ones, so its latencies are flattered.',
    zh: '一方失败或丢失了更多请求。丢失的往往是慢请求，因此其延迟被美化。',
  },
  taughtBy: 'A published NUMA comparison ranks four bindings that lost 57 to 89 of 500 requests each, one run per arm.',
  check(baseline, other) {
    const [a, b] = [lostRatio(baseline.summary), lostRatio(other.summary)];
    if (a === null || b === null || Math.abs(a - b) <= limit) return null;
    return {
      severity: 'warn',
      message: {
        en: `${percent(a)} of the requests were lost on one side, ${percent(b)} on the other: latencies describe different survivors, and the side that lost more looks quicker than it is.`,
        zh: `一方丢失 ${percent(a)} 的请求，另一方丢失 ${percent(b)}：延迟反映的是不同的幸存者。`,
      },
      evidence: { baseline: a, candidate: b },
      advice: {
        en: 'Compare only at loads where both finish nearly everything.',
        zh: '仅在双方几乎全部成功的负载下比较。',
      },
    };
  },
};

function lostRatio({ counts }: Summary): number | null {
  return known(counts.planned) && known(counts.ok) && counts.planned > 0 ? 1 - counts.ok / counts.planned : null;
}
