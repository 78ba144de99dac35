import { percentileRanks } from '../../core/index.ts';
import type { Distribution } from '../../core/index.ts';
import type { DistributionName } from './fact-key.ts';
import type { PointDraft } from './point-draft.ts';

/** A distribution computed from the requests of a file; it has no printed digits. */
export function putDistribution(draft: PointDraft, name: DistributionName, distribution: Distribution | null): void {
  if (distribution === null) return;
  for (const statistic of ['mean', 'min', 'max', ...percentileRanks.map((rank) => `p${rank}` as const)] as const) {
    const value = distribution[statistic];
    if (value !== null) draft.derived(`${name}.${statistic}`, value);
  }
}
