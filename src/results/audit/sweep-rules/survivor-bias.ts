import type { Summary } from '../../../core/index.ts';
import { known } from '../printed-room.ts';
import type { SweepRule } from '../rule.ts';
import { percent, showMs } from '../wording.ts';

/** Latency must fall by more than noise. */
const noise = 0.02;

/** Latency falls while failures rise. */
export const survivorBias: SweepRule = {
  code: 'survivor-bias',
  severities: ['warn'],
  meaning: {
    en: 'More load and lower latency cannot go together on one server; when more requests are lost at the same time, the latency is that of the quick ones that survived.',
    zh: '同一服务器上负载升高而延迟下降不合常理；若同时丢失更多请求，则延迟只反映存活下来的快请求。',
  },
  taughtBy:
    'vLLM on four T4: mean latency 19.8 s at 128, 16.3 s at 400, while requests time out and vanish; the chart reads as if the server recovered.',
  check(points) {
    const rows = points
      .flatMap((point) => {
        const load = point.load.concurrency ?? point.load.ratePerSec;
        const latency = point.latencyMs?.mean ?? null;
        const lost = lostRatio(point);
        return known(load) && known(latency) && lost !== null ? [{ load, latency, lost }] : [];
      })
      .toSorted((a, b) => a.load - b.load);
    const worst = rows.reduce(
      (best, row) => (best === null || row.latency > best.latency ? row : best),
      null as (typeof rows)[number] | null,
    );
    const last = rows.findLast(
      (row) => worst !== null && row.load > worst.load && row.latency < worst.latency * (1 - noise) && row.lost >= 0.01,
    );
    if (worst === null || last === undefined) return [];
    return [
      {
        severity: 'warn',
        message: {
          en: `Mean latency falls from ${showMs(worst.latency)} at ${worst.load} to ${showMs(last.latency)} at ${last.load}, where ${percent(last.lost)} of the requests are lost: only the quick ones are counted.`,
          zh: `平均延迟从 ${worst.load} 时的 ${showMs(worst.latency)} 降到 ${last.load} 时的 ${showMs(last.latency)}，而后者丢失了 ${percent(last.lost)} 的请求：只统计了快的请求。`,
        },
        evidence: {
          fromLoad: worst.load,
          toLoad: last.load,
          fromLatencyMs: worst.latency,
          toLatencyMs: last.latency,
          lostRatio: last.lost,
        },
        advice: {
          en: 'Do not compare latencies across points with different losses; show failures beside them.',
          zh: '不要比较丢失率不同的点的延迟；应同时展示失败数。',
        },
      },
    ];
  },
};

/** Failed and vanished requests as a share of the planned; null = not known. */
function lostRatio(point: Summary): number | null {
  const { planned, failed, unaccounted } = point.counts;
  if (!known(failed)) return null;
  if (known(planned) && planned > 0) return (failed + (known(unaccounted) ? unaccounted : 0)) / planned;
  return failed > 0 ? 0.01 : 0;
}
