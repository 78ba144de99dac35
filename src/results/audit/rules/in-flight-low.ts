import type { Summary } from '../../../core/index.ts';
import type { Doubt, PointRule } from '../rule.ts';
import { inFlightOf } from '../in-flight.ts';
import type { InFlight } from '../in-flight.ts';
import { percent, show } from '../wording.ts';
import { isStuck, trueDurationMs } from './stuck-request.ts';

/** Without the number of requests, start and drain cannot be computed; then only a gross lack is judged. */
const grossShare = 0.6;
const grossShareWithFailures = 0.8;

/** An empty slot of less than this per request is the client's time to send the next one, not a load that broke down. */
const refillMs = 50;

/** Little's law: fewer requests were in flight than the point is labelled with. */
export const inFlightLow: PointRule = {
  code: 'in-flight-low',
  severities: ['warn', 'invalid'],
  meaning: {
    en: "By Little's law, succeeded × latency / duration is the number of requests in flight. Far below the nominal concurrency, after allowing for start and drain, the client did not apply the load on the label, or the clock ran on without load.",
    zh: '根据 Little 定律，成功数 × 延迟 / 用时即在途请求数。扣除启动与收尾后仍远低于标称并发，说明客户端没有施加标注的负载，或计时在无负载时继续。',
  },
  taughtBy:
    'Qwen2-72B long prompts: 17 in flight at "concurrency 50"; Qwen1.5-14B at 32 and 128: 18 and 42 in flight while one generation ran on alone.',
  check(point) {
    // A run of ours measures what was in flight; concurrency-not-reached judges that.
    if (point.source.tool === 'llmdyno') return null;
    const inFlight = inFlightOf(point, isStuck(point) ? trueDurationMs(point) : point.durationMs);
    if (inFlight === null || inFlight.longDrain) return null;
    // Beside a stuck request the printed digits give the true duration only roughly.
    const slack = isStuck(point) ? 0.03 : 0;
    const limit = inFlight.lowest ?? (point.counts.failed > 0 ? grossShareWithFailures : grossShare);
    if (inFlight.share + inFlight.room + slack >= limit) return null;
    return doubt(inFlight, limit, idleMs(point, inFlight));
  },
};

/** How long a slot stood empty after each request, on average. */
function idleMs(point: Summary, inFlight: InFlight): number {
  const latency = point.latencyMs?.mean ?? 0;
  return latency * ((inFlight.lowest ?? 1) / inFlight.share - 1);
}

function doubt(inFlight: InFlight, limit: number, emptyMs: number): Doubt {
  return {
    severity: emptyMs < refillMs ? 'warn' : 'invalid',
    message: {
      en: `Only ${show(inFlight.held)} requests were in flight on average at a nominal concurrency of ${inFlight.asked} (${percent(inFlight.share)}; start and drain explain no less than ${percent(limit)}). Client slots stood idle, died, or the clock ran on after the work was done.`,
      zh: `标称并发 ${inFlight.asked}，平均在途仅 ${show(inFlight.held)}（${percent(inFlight.share)}；启动与收尾最多只能解释到 ${percent(limit)}）。客户端并发位空闲或已失效，或工作完成后计时仍在继续。`,
    },
    evidence: { inFlight: inFlight.held, concurrency: inFlight.asked, share: inFlight.share, lowestExplained: limit },
    advice: {
      en: 'Do not read this point as a result at its nominal concurrency. Check failures, timeouts and the longest answers; measure again with more requests.',
      zh: '不要把该点当作标称并发下的结果。请检查失败、超时和最长的回答，并增加请求数重新测量。',
    },
  };
}
