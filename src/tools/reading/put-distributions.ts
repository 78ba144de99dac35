import { distributionOf, percentileRanks } from '../../core/index.ts';
import type { DistributionName } from './fact-key.ts';
import type { PointDraft } from './point-draft.ts';

/** Figures of single requests, by the distribution they make. */
export type RequestColumns = Partial<Record<DistributionName, number[]>>;

/** The distributions of what single requests of a file came to; they have no printed digits. */
export function putDistributions(draft: PointDraft, columns: RequestColumns): void {
  for (const [name, values] of Object.entries(columns) as [DistributionName, number[]][]) {
    const distribution = distributionOf(values);
    for (const statistic of ['mean', 'min', 'max', ...percentileRanks.map((rank) => `p${rank}` as const)] as const) {
      const value = distribution?.[statistic] ?? null;
      if (value !== null) draft.derived(`${name}.${statistic}`, value);
    }
  }
}
