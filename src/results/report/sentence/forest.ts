import type { Phrase } from '../../../core/index.ts';
import type { Comparison } from '../../measure/index.ts';
import { changeVerdict, changeWords, comparedWords, headline, placeOf, signedPercent } from './compare.ts';
import type { ChangeVerdict } from './compare.ts';

/** One change of a forest plot. Places are shares of its width, from the largest loss to the largest gain. */
export interface ForestRow {
  metric: Phrase;
  /** The point; null = there is only one. */
  place: string | null;
  change: string;
  verdict: ChangeVerdict;
  says: Phrase;
  at: number;
  /** null = no interval is known. */
  from: number | null;
  to: number | null;
}

/** Changes of one candidate against the baseline under each other. */
export interface Forest {
  rows: ForestRow[];
  /** Where no change lies, and what the two ends of the plot stand for. */
  zero: number;
  ends: [string, string];
}

const most = 2;
const mostRows = 24;

/** The metrics that a verdict rests on, each with its change and interval on one scale; null = there is none to draw. */
export function forestOf({ metrics }: Comparison, candidate: number): Forest | null {
  const several = new Set(metrics.map(placeOf)).size > 1;
  const chosen = several ? headline : Object.keys(comparedWords);
  const all = chosen
    .flatMap((metric) => metrics.filter((row) => row.metric === metric))
    .flatMap((row) => {
      const change = row.changes[candidate];
      return change === undefined || change.changeRatio === null ? [] : [{ row, change, ratio: change.changeRatio }];
    });
  // Of many points the first metrics only: the table has all.
  const shown = all.filter(({ row }, i) => i < mostRows || row.metric === all[0]!.row.metric);
  if (shown.length === 0) return null;
  const edges = shown.flatMap(({ change, ratio }) => [ratio, ...(change.interval ?? [])]);
  const low = Math.max(-1, Math.min(-0.05, ...edges));
  // A tenfold change must not squeeze all others into a line.
  const high = Math.min(most, Math.max(0.05, ...edges));
  const share = (value: number): number => (Math.min(high, Math.max(low, value)) - low) / (high - low);
  return {
    rows: shown.map(({ row, change, ratio }) => {
      const verdict = changeVerdict(row, change);
      return {
        metric: comparedWords[row.metric]!,
        place: several ? placeOf(row) : null,
        change: signedPercent(ratio),
        verdict,
        says: changeWords[verdict],
        at: share(ratio),
        from: change.interval === null ? null : share(change.interval[0]),
        to: change.interval === null ? null : share(change.interval[1]),
      };
    }),
    zero: share(0),
    ends: [signedPercent(low), `${signedPercent(high)}${high === most ? ' …' : ''}`],
  };
}
