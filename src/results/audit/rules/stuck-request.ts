import type { Summary } from '../../../core/index.ts';
import { throughputIdentity } from '../identities.ts';
import { inFlightOf } from '../in-flight.ts';
import { known } from '../printed-room.ts';
import type { Doubt, PointRule } from '../rule.ts';
import { percent, show, showMs } from '../wording.ts';

/** Token rate and request rate may differ by this much without a cause worth naming. */
const tolerance = 0.005;
/** More failures than this share are no single stuck request any more. */
const fewFailures = 0.005;

/**
 * One request hung until its timeout and held the wall clock open. The old evalscope stops the token clock at the last
 * success and the request clock at the last end, so the two rates disagree, and the first gives the true duration.
 */
export const stuckRequest: PointRule = {
  code: 'stuck-request',
  severities: ['invalid'],
  meaning: {
    en: 'A request that hangs until its timeout keeps the clock running while nothing else is left to do: duration grows, requests per second and in-flight shrink, although the server was fast.',
    zh: '一个挂起直到超时的请求使计时继续而其他请求早已完成：用时变长，QPS 与在途数下降，而服务器其实很快。',
  },
  taughtBy:
    'Qwen1.5-14B on MindIE: one of 1,000 requests waits for its 120 s timeout in seven of nine points, and QPS is printed up to 68 % too low.',
  check(point) {
    if (point.source.tool === 'llmdyno') return checkOwn(point);
    if (!isStuck(point)) return null;
    const durationMs = trueDurationMs(point)!;
    const inFlight = inFlightOf(point, durationMs);
    const few = point.counts.failed <= Math.max(1, fewFailures * point.counts.planned);
    const plausible =
      inFlight === null ||
      (inFlight.share <= 1.02 &&
        (inFlight.longDrain || inFlight.lowest === null || inFlight.share >= inFlight.lowest - 0.03));
    const repairable = few && plausible && !(point.counts.unaccounted > 0);
    const rate = (point.counts.ok * 1000) / durationMs;
    const heldMs = point.durationMs! - durationMs;
    return {
      severity: 'invalid',
      message: {
        en: `The clock ran ${showMs(heldMs)} longer than the last success: ${point.counts.failed === 1 ? 'one request' : `${point.counts.failed} requests`} hung until a timeout. The printed ${show(point.requestsPerSec ?? 0)} requests a second are ${percent(1 - durationMs / point.durationMs!)} too low${repairable ? `; without the wait it is ${show(rate)}` : ''}.`,
        zh: `计时比最后一个成功请求多运行了 ${showMs(heldMs)}：${point.counts.failed} 个请求挂起直到超时。标注的 QPS ${show(point.requestsPerSec ?? 0)} 偏低 ${percent(1 - durationMs / point.durationMs!)}${repairable ? `；去除等待后为 ${show(rate)}` : ''}。`,
      },
      evidence: {
        durationMs: point.durationMs,
        trueDurationMs: durationMs,
        failed: point.counts.failed,
        requestsPerSec: point.requestsPerSec,
        trueRequestsPerSec: rate,
      },
      advice: {
        en: 'Use the repaired rate, or measure again with a timeout close to the slowest honest request.',
        zh: '使用修正后的速率，或将超时设为接近最慢正常请求的值后重新测量。',
      },
      ...(repairable
        ? { repaired: { requestsPerSec: rate, outputTokensPerSec: point.outputTokensPerSec!, durationMs } }
        : {}),
    };
  },
};

/** The clock of our own run that ran on for one request: this much longer than the slowest answer after the last send. */
const heldAnswers = 2;
const heldShare = 0.1;

/** A run of ours knows when sending ended and that a request timed out; both its rates are taken over the same, held clock. */
function checkOwn(point: Summary): Doubt | null {
  const { counts, durationMs, steady, latencyMs, outputTokens } = point;
  const slowestMs = latencyMs?.max ?? null;
  const tokens = outputTokens?.mean ?? null;
  if (!known(durationMs) || steady === null || !known(slowestMs) || !known(tokens)) return null;
  const timedOut = Object.entries(counts.byProblem).reduce(
    (sum, [code, count]) => sum + (code.startsWith('timeout-') ? count : 0),
    0,
  );
  if (timedOut === 0 || counts.failed > Math.max(1, fewFailures * counts.planned)) return null;
  const tailMs = durationMs - steady.toMs;
  if (tailMs < heldAnswers * slowestMs || tailMs < heldShare * durationMs) return null;
  const trueMs = steady.toMs + slowestMs;
  const rate = (counts.ok * 1000) / trueMs;
  return {
    severity: 'invalid',
    message: {
      en: `The clock ran ${showMs(durationMs - trueMs)} longer than any answer took: ${timedOut === 1 ? 'one request' : `${timedOut} requests`} hung until the timeout. The ${show(point.requestsPerSec ?? 0)} requests a second are ${percent(1 - trueMs / durationMs)} too low; without the wait it is about ${show(rate)}.`,
      zh: `计时比任何回答都多运行了 ${showMs(durationMs - trueMs)}：${timedOut} 个请求挂起直到超时。QPS ${show(point.requestsPerSec ?? 0)} 偏低 ${percent(1 - trueMs / durationMs)}；去除等待后约为 ${show(rate)}。`,
    },
    evidence: {
      durationMs,
      trueDurationMs: trueMs,
      failed: counts.failed,
      requestsPerSec: point.requestsPerSec,
      trueRequestsPerSec: rate,
    },
    advice: {
      en: 'Use the repaired rate or the steady stretch, or measure again with a timeout close to the slowest honest request.',
      zh: '使用修正后的速率或稳定阶段的结果，或将超时设为接近最慢正常请求的值后重新测量。',
    },
    repaired: { requestsPerSec: rate, outputTokensPerSec: rate * tokens, durationMs: trueMs },
  };
}

/** Whether the token rate was taken over a visibly shorter time than the request rate, with a failure to blame. */
export function isStuck(point: Summary): boolean {
  const identity = throughputIdentity(point);
  return (
    identity !== null && point.counts.failed > 0 && identity.said > identity.computed * (1 + tolerance) + identity.room
  );
}

/** When the last success ended: the duration that the token rate was taken over. */
export function trueDurationMs(point: Summary): number | null {
  const tokens = point.outputTokens?.mean ?? null;
  if (!known(tokens) || !known(point.outputTokensPerSec) || point.outputTokensPerSec <= 0 || !known(point.counts.ok))
    return null;
  return (point.counts.ok * tokens * 1000) / point.outputTokensPerSec;
}
