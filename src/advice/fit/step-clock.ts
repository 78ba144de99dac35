import type { EngineProfile } from '../../engine/sim/index.ts';
import type { ClockPieces } from './clock-pieces.ts';
import { solve } from '../../core/index.ts';
import { usualShares } from './usual-shares.ts';

/**
 * A step's cost as the clock has it: a, the slope of d(n) in each segment between knots, k, p1, m, r and the overhead, in this
 * order in `x`. All are bounded below by zero.
 */
export interface ClockFit {
  knots: readonly number[];
  x: number[];
  /** Spread of a stretch's error over what a jitter of 1 would make of it: step jitter, and what the model lacks. */
  sigma: number;
  /** Errors of the stretches, in steps, over what a jitter of 1 would make of them. */
  errors: Float64Array;
  /** Steps that each piece holds by this cost; its variance, in steps², under a jitter of 1. 0 = nobody decoded. */
  pieceSteps: Float64Array;
  pieceVariance: Float64Array;
}

/** What of a clock's rules a server's settings say. */
export type GivenRules = Pick<ClockRules, 'prefillApart' | 'chunkTokens'>;

/** How a clock is to be read. */
export interface ClockRules {
  /** Prefills run in steps of their own while decoding waits. */
  prefillApart: boolean;
  /** Tokens of one step: longer prompts are cut. */
  chunkTokens: number;
  /** Whether a prompt may cost something besides its tokens. */
  promptCost: boolean;
  /** How far slopes of d(n) may differ from the usual one, relative to it; only with knots. */
  bend: number;
  /** The slope beyond the last knot that is expected, relative to the usual one. */
  beyond: number;
}

const rounds = 10;
/** Attention of a million is taken to cost about so many prefill tokens, give or take, unless the data says otherwise. */
const attentionTokens = 5;
/** How far, relative to it, the slope beyond the last knot is likely to be from the usual one. */
export const lastSlopeSpread = 0.15;
/** A sequence more in the batch costs at least this share of a. */
const leastSlope = 1e-3;
/** What a prompt costs of its own, as a share of a, is likely to be about this at most. */
const promptSpread = 0.3;
/** A pull towards nothing that nothing withstands. */
const never = 1e-6;
/** A moment is known to about half a step. */
const momentSteps = 10;

/** Places of the parameters behind the slopes. */
export const placesOf = (
  knots: readonly number[],
): { k: number; p1: number; m: number; r: number; overhead: number } => {
  const k = knots.length + 2;
  return { k, p1: k + 1, m: k + 2, r: k + 3, overhead: k + 4 };
};

/** Least squares of counted against clocked steps, deaf to stretches that no jitter explains. `counts` weighs the stretches. */
export function fitClock(
  pieces: ClockPieces,
  knots: readonly number[],
  start: readonly number[],
  rules: ClockRules,
  counts: Float64Array | null = null,
): ClockFit {
  // Answers of one batch share their steps: so many stretches say what one would.
  const overlap = overlapOf(pieces);
  let x = [...start];
  let reading = readClock(pieces, knots, x, rules);
  let sigma = spreadOf(reading.errors, counts);
  for (let round = 0; round < rounds; round++) {
    const weights = reading.errors.map((error, i) => bounded(Math.abs(error) / sigma) * (counts?.[i] ?? 1));
    const system = systemOf(reading.slopes, reading.errors, weights, x);
    addEntrances(system, pieces, knots, x, rules, sigma);
    addPriors(system, knots, rules, x, sigma * Math.sqrt(overlap));
    const next = solveBounded(system, x);
    const moved = Math.max(...next.map((value, i) => Math.abs(value - x[i]!) / (Math.abs(x[i]!) + 1e-3 * x[0]!)));
    x = next;
    reading = readClock(pieces, knots, x, rules);
    sigma = spreadOf(reading.errors, counts);
    if (moved < 1e-3) break;
  }
  const { errors, pieceSteps, pieceVariance } = reading;
  return { knots, x, sigma, errors, pieceSteps, pieceVariance };
}

/** The parameters of a cost whose d(n) is straight, without an overhead. */
export function clockOf(cost: EngineProfile['cost']): number[] {
  const {
    aMs,
    cMsPerDecode,
    kMsPer1000KvTokens,
    p1MsPerPrefillToken,
    mMsPerMillionAttention = 0,
    rMsPerPrompt = 0,
  } = cost;
  return [aMs, cMsPerDecode, kMsPer1000KvTokens, p1MsPerPrefillToken, mMsPerMillionAttention, rMsPerPrompt, 0];
}

/** What the clock says of a cost that was found otherwise. */
export function clockAt(pieces: ClockPieces, cost: EngineProfile['cost'], rules: GivenRules): ClockFit {
  const x = clockOf(cost);
  const { errors, pieceSteps, pieceVariance } = readClock(pieces, [], x, rules);
  return { knots: [], x, sigma: spreadOf(errors, null), errors, pieceSteps, pieceVariance };
}

/** A start for the search: the shortest step, and small slopes. */
export function clockStart(leastStepMs: number, knots: readonly number[]): number[] {
  return [leastStepMs, ...Array.from({ length: knots.length + 1 }, () => leastStepMs / 300), 0.05, 0.05, 0.05, 0, 1];
}

/** The same start for other knots: slopes are taken over from where the knots lie. */
export function movedTo(fit: Pick<ClockFit, 'knots' | 'x'>, knots: readonly number[]): number[] {
  const slopeAt = (n: number): number => fit.x[1 + fit.knots.filter((knot) => knot <= n).length]!;
  const { k } = placesOf(fit.knots);
  return [fit.x[0]!, ...[0, ...knots].map(slopeAt), ...fit.x.slice(k)];
}

interface Reading extends Pick<ClockFit, 'errors' | 'pieceSteps' | 'pieceVariance'> {
  slopes: Float64Array[];
}

function readClock(pieces: ClockPieces, knots: readonly number[], x: readonly number[], rules: GivenRules): Reading {
  const size = pieces.decodes.length;
  const places = placesOf(knots);
  const width = x.length;
  const sums = Array.from({ length: width + 2 }, () => new Float64Array(size + 1));
  const pieceSteps = new Float64Array(size);
  const pieceVariance = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    for (let i = 0; i < sums.length; i++) sums[i]![j + 1] = sums[i]![j]!;
    const n = pieces.decodes[j]!;
    if (n === 0) continue;
    const kv = pieces.kvTokens[j]! / 1000;
    let baseMs = x[0]! + x[places.k]! * kv;
    let before = 0;
    for (let s = 0; s <= knots.length; s++) {
      baseMs += x[1 + s]! * partOf(n, before, knots[s]);
      before = knots[s] ?? before;
    }
    const prompts = pieces.prompts[j]!;
    const apart = rules.prefillApart && prompts > 0 ? 1 : 0;
    const attention = pieces.attention[j]! / 1e6;
    // A prompt that is cut costs r once for each of its chunks.
    const chunks = prompts === 0 ? 0 : prompts - 1 + chunksOf(pieces.prefillTokens[j]!, rules.chunkTokens - n);
    const promptMs = x[places.p1]! * pieces.prefillTokens[j]! + x[places.m]! * attention + x[places.r]! * chunks;
    const spentMs = promptMs + apart * x[0]!;
    const steps = (pieces.lengthMs[j]! - spentMs) / baseMs;
    const slope = -steps / baseMs;
    sums[0]![j + 1]! += slope - apart / baseMs;
    before = 0;
    for (let s = 0; s <= knots.length; s++) {
      sums[1 + s]![j + 1]! += slope * partOf(n, before, knots[s]);
      before = knots[s] ?? before;
    }
    sums[places.k]![j + 1]! += slope * kv;
    sums[places.p1]![j + 1]! -= pieces.prefillTokens[j]! / baseMs;
    sums[places.m]![j + 1]! -= attention / baseMs;
    sums[places.r]![j + 1]! -= chunks / baseMs;
    sums[width]![j + 1]! += steps;
    pieceSteps[j] = steps;
    pieceVariance[j] = varianceOf(steps, spentMs / baseMs, pieces.prefillTokens[j]!, rules.chunkTokens - n);
    sums[width + 1]![j + 1]! += pieceVariance[j]!;
  }
  const { steps: counted, from, to } = pieces;
  const variance = sums[width + 1]!;
  const weights = counted.map((_, i) => 1 / Math.sqrt(variance[to[i]!]! - variance[from[i]!]! + momentSteps));
  const over = (sum: Float64Array): Float64Array => {
    const out = new Float64Array(counted.length);
    for (let i = 0; i < out.length; i++) out[i] = (sum[to[i]!]! - sum[from[i]!]!) * weights[i]!;
    return out;
  };
  const errors = over(sums[width]!);
  for (let i = 0; i < errors.length; i++) errors[i]! -= counted[i]! * weights[i]!;
  return { errors, slopes: sums.slice(0, width).map(over), pieceSteps, pieceVariance };
}

/** Steps that so many prompt tokens take. */
function chunksOf(promptTokens: number, chunkTokens: number): number {
  return Math.ceil(promptTokens / Math.max(1, chunkTokens));
}

/**
 * Variance of a piece's length in steps² under a jitter of 1. Steps and prompts have a chance of their own each, which is a share of
 * them: a prompt that takes as long as `spent` steps errs by as many at once, and one that is cut has that spread over its chunks.
 */
function varianceOf(steps: number, spent: number, prefillTokens: number, chunkTokens: number): number {
  return Math.max(0, steps) + (spent * spent) / Math.max(1, chunksOf(prefillTokens, chunkTokens));
}

/** The part of 0 … n between two knots; no knot = no end. */
function partOf(n: number, before: number, knot: number | undefined): number {
  return Math.max(0, Math.min(n, knot ?? n) - before);
}

/** Full weight up to two spreads, less beyond, none beyond six. */
function bounded(size: number): number {
  if (size < 2) return 1;
  return size < 6 ? 2 / size : 0;
}

/** Normal equations for the parameters themselves, not for their change. */
interface System {
  normal: number[][];
  right: number[];
}

function systemOf(
  slopes: readonly Float64Array[],
  errors: Float64Array,
  weights: Float64Array,
  x: readonly number[],
): System {
  const normal = slopes.map(() => x.map(() => 0));
  slopes.forEach((a, i) => {
    const own = a.map((value, at) => value * weights[at]!);
    for (let j = i; j < slopes.length; j++) {
      const sum = product(own, slopes[j]!);
      normal[i]![j] = sum;
      normal[j]![i] = sum;
    }
  });
  const weighted = errors.map((value, at) => value * weights[at]!);
  return { normal, right: slopes.map((a, i) => dot(normal[i]!, x) - product(a, weighted)) };
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/**
 * First tokens that waited for nobody took the overhead, the rest of the step under way (half of it, on average) and the steps with
 * their own prefill. What scatters them is mostly where in a step they came.
 */
function addEntrances(
  system: System,
  pieces: ClockPieces,
  knots: readonly number[],
  x: readonly number[],
  rules: ClockRules,
  sigma: number,
): void {
  const places = placesOf(knots);
  const row = x.map(() => 0);
  for (const { ttftMs, promptTokens, decodes, kvTokens } of pieces.entrances) {
    const idle = decodes === 0;
    const chunks = chunksOf(promptTokens, rules.chunkTokens - decodes);
    row[0] = idle ? chunks : chunks + 0.5;
    const whole = rules.prefillApart ? row[0] - chunks : row[0];
    let before = 0;
    for (let s = 0; s <= knots.length; s++) {
      row[1 + s] = whole * partOf(decodes, before, knots[s]);
      before = knots[s] ?? before;
    }
    row[places.k] = (whole * kvTokens) / 1000;
    row[places.p1] = promptTokens;
    row[places.m] = (promptTokens * promptTokens) / 2 / 1e6;
    row[places.r] = chunks;
    row[places.overhead] = 1;
    const foundMs = dot(row, x);
    // Uniform within a step: 0.29 of it; and what the server adds of its own.
    const within = idle ? 0 : 0.29 * x[0]!;
    const spreadMs = Math.sqrt(within * within + 0.0009 * foundMs * foundMs + 0.09);
    const ratio = sigma / spreadMs;
    const weight = ratio * ratio * bounded(Math.abs(ttftMs - foundMs) / spreadMs);
    addRow(system, row, ttftMs, weight);
  }
}

function addRow({ normal, right }: System, row: readonly number[], value: number, weight: number): void {
  if (weight === 0) return;
  for (let i = 0; i < row.length; i++) {
    const own = weight * row[i]!;
    if (own === 0) continue;
    const line = normal[i]!;
    for (let j = 0; j < row.length; j++) line[j]! += own * row[j]!;
    right[i]! += own * value;
  }
}

/** What is known of every engine: attention of a short prompt is small beside its prefill, and no direction is quite free. Most prompts cost what their tokens cost. */
function addPriors(
  system: System,
  knots: readonly number[],
  rules: ClockRules,
  x: readonly number[],
  sigma: number,
): void {
  const { m, p1, k, r, overhead } = placesOf(knots);
  const pull = (i: number, spread: number): void => {
    system.normal[i]![i]! += (sigma / spread) ** 2;
  };
  pull(m, attentionTokens * Math.max(x[p1]!, 1e-4 * x[0]!));
  // Where all hold about as many tokens, nothing tells sequences from their tokens: then both cost as engines usually have it.
  const lengths = segmentsOf(knots);
  const slope = lengths.reduce((sum, length, s) => sum + length * x[1 + s]!, 0);
  const most = Math.max(x[0]!, slope / usualShares.c, x[k]! / usualShares.k);
  const tie = x.map(() => 0);
  lengths.forEach((length, s) => (tie[1 + s] = length / usualShares.c / most));
  tie[k] = -1 / usualShares.k / most;
  addRow(system, tie, 0, sigma ** 2);
  pull(r, (rules.promptCost ? promptSpread : never) * x[0]!);
  pull(overhead, 2 * x[0]!);
  if (knots.length > 0) {
    // Most slopes are the usual one and a few differ much (a kernel changes there): an absolute, not a squared penalty.
    const usual = usualSlope(knots, x);
    for (let s = 0; s <= knots.length; s++) {
      const away = Math.abs(x[1 + s]! - usual) + 0.05 * usual;
      // Beyond the last knot little is measured and much is predicted.
      const isLast = s === knots.length;
      const spread = isLast ? lastSlopeSpread * usual : Math.sqrt(rules.bend * usual * away);
      const weight = sigma ** 2 / (spread ** 2 + 1e-12);
      system.normal[1 + s]![1 + s]! += weight;
      system.right[1 + s]! += weight * usual * (isLast ? rules.beyond : 1);
    }
  }
  system.normal.forEach((row, i) => (row[i]! += 1e-9 * row[i]! + 1e-12));
}

/** How many of the stretches cover a moment, on average. */
function overlapOf({ lengthMs, from, to }: ClockPieces): number {
  const until = new Float64Array(lengthMs.length + 1);
  lengthMs.forEach((length, j) => (until[j + 1] = until[j]! + length));
  const covered = from.reduce((sum, first, i) => sum + until[to[i]!]! - until[first]!, 0);
  return Math.max(1, covered / Math.max(1e-9, until.at(-1)!));
}

/** Which share of the range of n lies before, between and a little beyond the knots. */
function segmentsOf(knots: readonly number[]): number[] {
  if (knots.length === 0) return [1];
  const ends = [...knots, 1.15 * knots.at(-1)!];
  return ends.map((end, s) => (end - (ends[s - 1] ?? 0)) / ends.at(-1)!);
}

/** The slope that half of the range of n is below: a jump is short. */
function usualSlope(knots: readonly number[], x: readonly number[]): number {
  const parts = segmentsOf(knots).map((length, s) => ({ slope: x[1 + s]!, length }));
  let passed = 0;
  for (const { slope, length } of parts.toSorted((a, b) => a.slope - b.slope)) {
    passed += length;
    if (passed >= 0.5) return Math.max(slope, leastSlope * x[0]!);
  }
  return leastSlope * x[0]!;
}

/** Solves with every parameter at least zero (a at least a third of what it was): those that would fall below stay there. */
function solveBounded({ normal, right }: System, x: readonly number[]): number[] {
  const pinned = new Set<number>();
  const floor = (i: number): number => (i === 0 ? x[0]! / 3 : 0);
  for (;;) {
    const free = x.map((_, i) => i).filter((i) => !pinned.has(i));
    const found = solve(
      free.map((i) => free.map((j) => normal[i]![j]!)),
      free.map((i) => right[i]! - [...pinned].reduce((sum, j) => sum + normal[i]![j]! * floor(j), 0)),
    );
    const below = free.filter((i, at) => found[at]! < floor(i));
    if (below.length === 0) {
      const out = x.map((_, i) => floor(i));
      free.forEach((i, at) => (out[i] = i === 0 ? Math.min(found[at]!, 3 * x[0]!) : found[at]!));
      return out;
    }
    for (const i of below) pinned.add(i);
  }
}

/** 1.4826 times the median deviation is a normal's standard deviation. */
function spreadOf(errors: Float64Array, counts: Float64Array | null): number {
  const sorted = errors
    .map(Math.abs)
    .filter((_, i) => (counts?.[i] ?? 1) > 0)
    .sort();
  return Math.max(0.005, 1.4826 * (sorted[sorted.length >> 1] ?? 0));
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
