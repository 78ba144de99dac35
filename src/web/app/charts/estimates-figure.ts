import type { PlanDocument } from '../../../advice/plan/index.ts';
import type { Figure } from '../../../results/report/index.ts';

type Estimate = NonNullable<PlanDocument['estimates']>['points'][number];

/** What data sheets say about speed at each batch size; null where the card's rates are not known. */
export function estimatesFigure(plan: PlanDocument): Figure | null {
  const { estimates } = plan;
  if (estimates === null || estimates.points.length < 2) return null;
  const panel = (title: { en: string; zh: string }, of: (point: Estimate) => number) => ({
    kind: 'lines' as const,
    title,
    x: { name: { en: 'batch', zh: '批大小' } },
    y: { name: title },
    series: [
      {
        name: { en: 'estimate', zh: '估算' },
        kind: 'line' as const,
        points: estimates.points.map((point) => ({ x: point.batch, y: of(point) })),
      },
    ],
  });
  return {
    id: 'estimates',
    title: { en: 'Estimates from data sheets, not measured', zh: '按数据表估算，非实测' },
    about: {
      en: 'Throughput, time per token and time to first token against the batch size, by the roofline of the data sheets.',
      zh: '按数据表 roofline 估算的吞吐量、每 Token 时延与首 Token 时延随批大小的变化。',
    },
    columns: 3,
    panels: [
      panel({ en: 'Output tokens/s', zh: '输出 tok/s' }, (point) => point.outputTokensPerSec),
      panel({ en: 'Time per output token (ms)', zh: '每 Token 时延 (ms)' }, (point) => point.tpotMs),
      panel({ en: 'Time to first token (ms)', zh: '首 Token 时延 (ms)' }, (point) => point.ttftMs),
    ],
    notes: [],
  };
}
