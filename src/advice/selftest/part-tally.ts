import type { Exchange, ProblemCode } from '../../core/index.ts';
import { quantile } from '../../core/index.ts';
import { TimedSample } from './timed-sample.ts';

/** How wrong a set of times is; null = nothing was measured. binP99 is the median of the p99s of 100 ms bins. */
export interface ErrorFigures {
  p50: number | null;
  p99: number | null;
  max: number | null;
  binP99: number | null;
  n: number;
  /** Share of all that are above the limit before it and at or below this one; the last has none. */
  shares: { upToMs: number | null; ratio: number }[];
}

const binMs = 100;
/** Where the shares are cut. */
const cuts = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

/** The first and the last of some moments. */
class Stretch {
  n = 0;
  least = Infinity;
  most = -Infinity;

  add(atMs: number): void {
    this.n++;
    this.least = Math.min(this.least, atMs);
    this.most = Math.max(this.most, atMs);
  }

  get perSec(): number | null {
    return this.n > 1 && this.most > this.least ? (1000 * (this.n - 1)) / (this.most - this.least) : null;
  }
}

/** What is kept of the requests of one part, however many there are. */
export class PartTally {
  /** The client's stamp of each read minus the server's stamp of the first output in it. */
  readonly errors = new TimedSample();
  /** How late asks left, against the schedule. */
  readonly slips = new TimedSample();
  readonly gaps = new TimedSample();
  recorded = 0;
  ok = 0;
  failed = 0;
  readonly byProblem = new Map<ProblemCode, number>();
  events = 0;
  #mostSeq = -1;
  readonly #sends = new Stretch();
  /** When those that were sent were due. */
  readonly #dues = new Stretch();
  #last = -Infinity;
  #max = { errors: -Infinity, slips: -Infinity };

  add({ seq, outcome, problem, dueMs, sentMs, endMs, chunks }: Exchange): void {
    this.recorded++;
    if (outcome === 'ok') this.ok++;
    if (outcome === 'failed') {
      this.failed++;
      if (problem !== null) this.byProblem.set(problem.code, (this.byProblem.get(problem.code) ?? 0) + 1);
    }
    this.#mostSeq = Math.max(this.#mostSeq, seq);
    this.#last = Math.max(this.#last, endMs);
    if (sentMs !== null) {
      this.#sends.add(sentMs);
      this.#dues.add(dueMs);
      this.slips.add(dueMs, sentMs - dueMs);
      this.#max.slips = Math.max(this.#max.slips, sentMs - dueMs);
    }
    const { atMs, tokens, emittedMs } = chunks;
    const stamped = emittedMs !== undefined && emittedMs.length === atMs.length;
    for (let i = 0; i < atMs.length; i++) {
      const at = atMs[i]!;
      this.events += tokens[i]!;
      if (i > 0) this.gaps.add(at, at - atMs[i - 1]!);
      if (!stamped) continue;
      this.errors.add(at, at - emittedMs[i]!);
      this.#max.errors = Math.max(this.#max.errors, at - emittedMs[i]!);
    }
  }

  /** Asks that came due and never came out: their numbers are missing from the sequence. */
  get lost(): number {
    return this.#mostSeq + 1 - this.recorded;
  }

  /** From the first send to the last end. */
  get spanMs(): number {
    return this.#sends.n === 0 ? 0 : Math.max(this.#last, this.#sends.most) - this.#sends.least;
  }

  get sentPerSec(): number | null {
    return this.#sends.perSec;
  }

  /** What the schedule asked for: chance makes it more or less than the rate, of few requests much more or less. */
  get duePerSec(): number | null {
    return this.#dues.perSec;
  }

  get medianGapMs(): number | null {
    return quantile(this.gaps.sorted(), 0.5);
  }

  figures(of: 'errors' | 'slips'): ErrorFigures {
    return errorFigures(this[of], this.#max[of]);
  }
}

function errorFigures(sample: TimedSample, max: number): ErrorFigures {
  const sorted = sample.sorted();
  return {
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    max: sample.n === 0 ? null : max,
    binP99: typicalTail(sample),
    n: sample.n,
    shares: sharesOf(sorted),
  };
}

function sharesOf(sorted: Float64Array): ErrorFigures['shares'] {
  if (sorted.length === 0) return [];
  let below = 0;
  const shares = [...cuts, null].map((upToMs) => {
    let at = below;
    while (at < sorted.length && (upToMs === null || sorted[at]! <= upToMs)) at++;
    const ratio = (at - below) / sorted.length;
    below = at;
    return { upToMs, ratio };
  });
  // From the first that holds any to the last.
  const first = shares.findIndex(({ ratio }) => ratio > 0);
  return shares.slice(first, shares.findLastIndex(({ ratio }) => ratio > 0) + 1);
}

/** Stalls of a shared host show in the p99 of a whole run; the median bin tells what a quiet moment is like. */
function typicalTail(sample: TimedSample): number | null {
  const tails = [...sample.bins(binMs).values()].map((values) => quantile(Float64Array.from(values).sort(), 0.99)!);
  return quantile(Float64Array.from(tails).sort(), 0.5);
}
