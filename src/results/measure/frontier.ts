import { quotedFigures } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import { efficiencyOf } from './efficiency.ts';
import type { MachineOf } from './efficiency.ts';

/** What throughput is counted for: the whole system, one card, one watt, one unit of money. */
export const frontierUnits = ['system', 'card', 'watt', 'price'] as const;
export type FrontierUnit = (typeof frontierUnits)[number];

/** The speed that half of the users reach, nine of ten, ninety-nine of a hundred. */
export const frontierSpeeds = ['p50', 'p10', 'p1'] as const;
export type FrontierSpeed = (typeof frontierSpeeds)[number];

/** A load as a trade: how fast one user is served, and how much all get of what is paid for. */
export interface FrontierPoint {
  load: number;
  runIds: string[];
  userTokensPerSec: number;
  throughput: number;
  valid: boolean;
  /** Another point of the same system gives as much of both and more of one. */
  dominated: boolean;
}

type Place = Pick<FrontierPoint, 'userTokensPerSec' | 'throughput'>;

/** Requests that must lie beyond a percentile, as in the audit. */
const samplesBeyond = 10;

/** The points of one system; repetitions of a load are one point, their mean. A point that is not valid takes no part. */
export function frontierPoints(
  loads: readonly { x: number; runs: readonly Summary[] }[],
  unit: FrontierUnit,
  speed: FrontierSpeed,
  machineOf: MachineOf,
): FrontierPoint[] {
  const points = loads.flatMap(({ x, runs }): Omit<FrontierPoint, 'dominated'>[] => {
    const userTokensPerSec = meanOf(runs.map((run) => speedOf(run, speed)));
    const throughput = meanOf(runs.map((run) => throughputOf(run, unit, machineOf)));
    if (userTokensPerSec === null || throughput === null) return [];
    const valid = runs.every(({ verdict }) => verdict.valid);
    return [{ load: x, runIds: runs.map(({ runId }) => runId), userTokensPerSec, throughput, valid }];
  });
  const usable = points.filter(({ valid }) => valid);
  return points.map((point) => ({ ...point, dominated: usable.some((other) => dominates(other, point)) }));
}

/** The valid points that no other dominates, from the slowest user to the fastest; throughput falls along them. */
export function frontierOf(points: readonly FrontierPoint[]): FrontierPoint[] {
  return points
    .filter(({ valid, dominated }) => valid && !dominated)
    .toSorted((a, b) => a.userTokensPerSec - b.userTokensPerSec);
}

function dominates(a: Place, b: Place): boolean {
  return (
    a.userTokensPerSec >= b.userTokensPerSec &&
    a.throughput >= b.throughput &&
    (a.userTokensPerSec > b.userTokensPerSec || a.throughput > b.throughput)
  );
}

/**
 * Throughput at a speed, straight between the frontier points around it; null beyond them. Straight, because n users whose step
 * takes a + b·n are each served 1/(a + b·n) tokens/s and together (1 − a·speed)/b.
 */
export function throughputAt(frontier: readonly Place[], speed: number): number | null {
  for (const [i, to] of frontier.entries()) {
    if (to.userTokensPerSec === speed) return to.throughput;
    const from = frontier[i - 1];
    if (from === undefined || speed < from.userTokensPerSec || speed > to.userTokensPerSec) continue;
    const part = (speed - from.userTokensPerSec) / (to.userTokensPerSec - from.userTokensPerSec);
    return from.throughput + part * (to.throughput - from.throughput);
  }
  return null;
}

/** Speeds that people ask for; the same in every table, so that tables can be laid side by side. */
const usualSpeeds = [10, 20, 30, 50, 100, 200, 300, 500, 1000] as const;
const fewestRows = 2;

/** The speeds of a table: the usual ones that some frontier reaches, round ones where those are too few. */
export function fixedSpeeds(frontiers: readonly (readonly Place[])[]): number[] {
  const reached = (speed: number): boolean => frontiers.some((one) => throughputAt(one, speed) !== null);
  const usual = usualSpeeds.filter(reached);
  const all = frontiers.flat().map(({ userTokensPerSec }) => userTokensPerSec);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  if (usual.length >= fewestRows || !(high > low)) return usual;
  const least = (high - low) / 4;
  const tens = Math.floor(Math.log10(least));
  // 2 × 10^-1 is no number of the machine, 2 / 10^1 is the nearest there is.
  const times = (n: number, power: number): number => (power < 0 ? n / 10 ** -power : n * 10 ** power);
  const step = [1, 2, 5, 10].find((n) => times(n, tens) >= least) ?? 10;
  const rows: number[] = [];
  for (let n = Math.ceil(low / times(step, tens)); times(n * step, tens) <= high; n++) rows.push(times(n * step, tens));
  return rows.filter(reached);
}

/** null = not known, or too few requests for that percentile. */
function speedOf({ userTokensPerSec: known }: Summary, speed: FrontierSpeed): number | null {
  if (known === null) return null;
  if (speed === 'p50') return known.p50 ?? known.mean;
  const share = Number(speed.slice(1)) / 100;
  return known.n * share < samplesBeyond ? null : (known[speed] ?? null);
}

/** Output tokens per second of the steady part, where there is one, for each unit; tokens for a unit of money. */
function throughputOf(point: Summary, unit: FrontierUnit, machineOf: MachineOf): number | null {
  const figures = quotedFigures(point);
  const cost = efficiencyOf(figures, machineOf(point));
  switch (unit) {
    case 'system':
      return figures.outputTokensPerSec;
    case 'card':
      return cost.outputTokensPerSecPerCard;
    case 'watt':
      return cost.outputTokensPerJoule;
    case 'price':
      return cost.pricePerMillionOutputTokens === null ? null : 1e6 / cost.pricePerMillionOutputTokens;
  }
}

function meanOf(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum / values.length;
}
