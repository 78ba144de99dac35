import type { Exchange, Flow, LoadShape, ProblemCode } from '../../core/index.ts';
import { bucketMs, makeTimeBuckets } from './time-buckets.ts';
import type { TimeBuckets } from './time-buckets.ts';

/** The numbers that decide whether a server kept up. */
export const flowLimits = {
  /** A backlog that takes this share of what comes due never empties again at this rate. */
  overloaded: 0.1,
  /** From this share on it may be one that does not: no word is given. */
  doubtful: 0.05,
  /** A backlog of a server that keeps up swings by the root of its size; a rise is this many roots, and as many requests. */
  roots: 3,
  /** A server fills up first: nothing is judged before so many times the mean latency of the first requests. */
  fills: 2,
  /** The backlog of the first part of what is left, of so many, is held against that of the last. */
  parts: 4,
  /** Those first requests are the first of this share of all, and as many as this. */
  first: { ratio: 0.01, least: 8, most: 64 },
  /** Fewer requests, or a shorter stretch, say nothing. */
  leastRequests: 20,
  leastMs: 2000,
  /** Of a run too short for the backlog: first tokens of its last part come so many times later than those of its first part. */
  waits: 3,
  /** In a closed loop nothing queues without end: this share timed out or turned away is what an overload looks like there. */
  unserved: 0.1,
} as const;

/** Ways of not being served that come from too much load, and not from a server that is broken. */
const shed: ReadonlySet<ProblemCode> = new Set([
  'http-429',
  'timeout-ttft',
  'timeout-read',
  'timeout-total',
  'dropped-late',
]);
/** Never asked of the server, so neither due nor waited for. */
const unasked: ReadonlySet<ProblemCode> = new Set(['not-sent', 'turn-lost', 'lost-with-worker', 'lost-with-redis']);

/** Records when requests came due and when they were answered, and says whether the server kept up. Its size grows with the time, not with the requests. */
export class FlowBook {
  readonly #due: TimeBuckets = makeTimeBuckets();
  readonly #answered: TimeBuckets = makeTimeBuckets();
  /** Of answers that came in pieces: how many, and their waits for the first piece, by when they were due. */
  readonly #begun: TimeBuckets = makeTimeBuckets();
  readonly #waitMs: TimeBuckets = makeTimeBuckets();
  #asked = 0;
  #unserved = 0;
  #broken = 0;
  #first: First[] = [];
  #firstDueMs = Infinity;
  #lastDueMs = -Infinity;

  saw({ warmup, outcome, problem, dueMs, endMs, chunks }: Exchange): void {
    if (warmup || (problem !== null && unasked.has(problem.code))) return;
    this.#asked += 1;
    // A server that breaks is not one that is too slow: what it broke was never its load.
    if (outcome === 'failed' && !isShed(problem)) {
      this.#broken += 1;
      return;
    }
    if (isShed(problem)) this.#unserved += 1;
    this.#due.add(dueMs, 1);
    this.#firstDueMs = Math.min(this.#firstDueMs, dueMs);
    this.#lastDueMs = Math.max(this.#lastDueMs, dueMs);
    if (outcome === 'ok') this.#answered.add(endMs, 1);
    const begunMs = chunks.atMs[0];
    if (begunMs !== undefined) {
      this.#begun.add(dueMs, 1);
      this.#waitMs.add(dueMs, begunMs - dueMs);
    }
    const latest = this.#first.at(-1);
    const full = this.#first.length >= flowLimits.first.most;
    if (outcome === 'cancelled' || (full && latest !== undefined && dueMs >= latest.dueMs)) return;
    this.#keepFirst([{ dueMs, latencyMs: endMs - dueMs }]);
  }

  #keepFirst(more: readonly First[]): void {
    this.#first = [...this.#first, ...more].toSorted((a, b) => a.dueMs - b.dueMs).slice(0, flowLimits.first.most);
  }

  merge(other: FlowBook): void {
    this.#due.merge(other.#due);
    this.#keepFirst(other.#first);
    this.#answered.merge(other.#answered);
    this.#begun.merge(other.#begun);
    this.#waitMs.merge(other.#waitMs);
    this.#asked += other.#asked;
    this.#unserved += other.#unserved;
    this.#broken += other.#broken;
    this.#firstDueMs = Math.min(this.#firstDueMs, other.#firstDueMs);
    this.#lastDueMs = Math.max(this.#lastDueMs, other.#lastDueMs);
  }

  /**
   * What the waits for first tokens say of a server that is behind: of every second that passes while it is asked for r times what it takes,
   * the wait grows by r − 1 seconds. Null where they do not grow enough to say so.
   */
  #waiting(): Pick<Flow, 'state' | 'duePerSec' | 'answeredPerSec' | 'pilingRatio'> | null {
    const partMs = bucketMs * Math.floor((this.#lastDueMs - this.#firstDueMs) / bucketMs / flowLimits.parts);
    const meanMs = (fromMs: number): number => {
      const begun = this.#begun.between(fromMs, fromMs + partMs);
      return begun < flowLimits.leastRequests / flowLimits.parts
        ? NaN
        : this.#waitMs.between(fromMs, fromMs + partMs) / begun;
    };
    const from = bucketMs * Math.floor(this.#firstDueMs / bucketMs);
    const lateFrom = bucketMs * Math.floor(this.#lastDueMs / bucketMs) - partMs;
    const [early, late] = [meanMs(from), meanMs(lateFrom)];
    const grows = (late - early) / (lateFrom - from);
    const pilingRatio = grows / (1 + grows);
    // A wait that is not known makes the ratio NaN, which is no overload.
    if (!(pilingRatio >= flowLimits.overloaded) || late < flowLimits.waits * early) return null;
    const duePerSec = (this.#due.between(from, lateFrom + partMs) * 1000) / (lateFrom + partMs - from);
    return { state: 'overloaded', duePerSec, answeredPerSec: duePerSec * (1 - pilingRatio), pilingRatio };
  }

  read({ kind }: Pick<LoadShape, 'kind'>): Flow {
    const nothing: Flow = {
      state: 'unknown',
      rising: false,
      duePerSec: null,
      answeredPerSec: null,
      pilingRatio: null,
      openEarly: null,
      openLate: null,
      unserved: this.#unserved,
    };
    const judged = this.#asked - this.#broken;
    const mostlyBroken = this.#broken > flowLimits.overloaded * this.#asked;
    if (kind === 'closed') {
      if (judged < flowLimits.leastRequests || mostlyBroken) return nothing;
      return { ...nothing, state: this.#unserved >= flowLimits.unserved * judged ? 'overloaded' : 'stable' };
    }
    if (judged < flowLimits.leastRequests || this.#lastDueMs - this.#firstDueMs < flowLimits.leastMs) return nothing;
    const curve = new Curve(this.#due, this.#answered, this.#firstDueMs, this.#lastDueMs);
    const { ratio, least } = flowLimits.first;
    const first = this.#first.slice(0, Math.max(least, Math.round(ratio * judged))).map(({ latencyMs }) => latencyMs);
    if (first.length === 0) return nothing;
    const firstMs = sumOf(first) / first.length;
    const piling = curve.piling(flowLimits.fills * firstMs);
    if (piling === null) {
      // Too short for the backlog to tell: what grows once the first are answered is no steady part, and it is too much where first tokens come later and later, too.
      const grows = curve.piling(firstMs);
      if (grows?.rising !== true) return nothing;
      const waiting = mostlyBroken ? null : this.#waiting();
      const { openEarly, openLate } = grows;
      return { ...nothing, rising: true, ...(waiting !== null && { openEarly, openLate, ...waiting }) };
    }
    return { ...nothing, ...piling, state: mostlyBroken ? 'unknown' : piling.state };
  }
}

function isShed(problem: Exchange['problem']): boolean {
  return problem !== null && (shed.has(problem.code) || problem.status === 503);
}

interface First {
  dueMs: number;
  latencyMs: number;
}

type Piling = Omit<Flow, 'unserved'>;

/** How many were due and how many answered, bucket by bucket, while requests were sent. */
class Curve {
  readonly #due: number[] = [];
  readonly #open: number[] = [];
  readonly #answered: number[] = [];

  constructor(due: TimeBuckets, answered: TimeBuckets, fromMs: number, toMs: number) {
    let open = 0;
    const first = Math.max(0, Math.floor(fromMs / bucketMs));
    const last = Math.floor(toMs / bucketMs);
    for (let at = first; at <= last; at++) {
      const came = due.between(at * bucketMs, (at + 1) * bucketMs);
      const went = answered.between(at * bucketMs, (at + 1) * bucketMs);
      open += came - went;
      this.#due.push(came);
      this.#answered.push(went);
      this.#open.push(open);
    }
  }

  /** Null where the server had not filled up well before the sending was over. */
  piling(fillMs: number): Piling | null {
    const from = Math.ceil(fillMs / bucketMs);
    const length = this.#due.length - from;
    if (length * bucketMs < flowLimits.leastMs || length < from) return null;
    const part = Math.floor(length / flowLimits.parts);
    const [early, late] = [from, this.#due.length - part];
    const over = (counts: readonly number[], at: number): number => sumOf(counts.slice(at, at + part));
    const [openEarly, openLate] = [over(this.#open, early) / part, over(this.#open, late) / part];
    // A rate that rises has more under way without being too much.
    const quicker = Math.max(1, over(this.#due, late) / Math.max(1, over(this.#due, early)));
    const expected = openEarly * quicker;
    const piled = openLate - expected;
    const came = sumOf(this.#due.slice(early, late));
    const pilingRatio = came > 0 ? piled / came : 0;
    const swing = flowLimits.roots * (Math.sqrt(expected * burstiness(this.#due.slice(from))) + 1);
    // Asks in bursts hide a rise, but not a backlog that takes longer to answer than all that was watched: it began with less.
    const buried = openLate > sumOf(this.#answered.slice(from));
    const rising = pilingRatio >= flowLimits.doubtful && (piled >= swing || buried);
    const state = !rising ? 'stable' : pilingRatio >= flowLimits.overloaded ? 'overloaded' : 'unknown';
    const rate = (counts: readonly number[]): number => (sumOf(counts.slice(from)) * 1000) / (bucketMs * length);
    return {
      state,
      rising,
      duePerSec: rate(this.#due),
      answeredPerSec: rate(this.#answered),
      pilingRatio,
      openEarly,
      openLate,
    };
  }
}

/** Variance over mean of what came due in a second: 1 for Poisson, more where asks come in bursts. Never below 1. */
function burstiness(due: readonly number[]): number {
  const width = Math.round(1000 / bucketMs);
  const counts: number[] = [];
  for (let at = 0; at + width <= due.length; at += width) counts.push(sumOf(due.slice(at, at + width)));
  const mean = sumOf(counts) / Math.max(1, counts.length);
  if (counts.length < 2 || mean === 0) return 1;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  return Math.max(1, variance / mean);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
