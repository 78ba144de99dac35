/** One stay of a request in the batch: from its first token to its last, or between two preemptions. */
export interface Stay {
  fromMs: number;
  toMs: number;
  /** Prompt tokens prefilled just before it; what it holds in the KV cache then. */
  promptTokens: number;
  /** Tokens made within it, the first not counted: as many steps passed. */
  steps: number;
}

/** So many steps passed between two moments. */
export interface Stretch {
  fromMs: number;
  toMs: number;
  steps: number;
}

/** A first token that waited for nobody: what was sent before it, and who was decoding. */
export interface Entrance {
  ttftMs: number;
  promptTokens: number;
  decodes: number;
  kvTokens: number;
}

/**
 * Time cut wherever a client saw an answer begin or end. Within one piece the batch is known, so a cost says how many steps
 * fitted into it.
 */
export interface ClockPieces {
  lengthMs: Float64Array;
  decodes: Float64Array;
  kvTokens: Float64Array;
  /** Prompts whose prefill ended with the piece, their tokens and Σ prompt²/2. */
  prompts: Float64Array;
  prefillTokens: Float64Array;
  attention: Float64Array;
  /** 1 where everybody in the batch is known and nobody was preempted. */
  clear: Uint8Array;
  /** Stretches: first piece, piece after the last, and steps. */
  from: Int32Array;
  to: Int32Array;
  steps: Float64Array;
  entrances: Entrance[];
}

/** What a cut needs to know besides the stays. */
export interface CutOptions {
  /** About the shortest step: moments within a quarter of it are one. */
  leastStepMs: number;
  /** Nothing after this is counted: requests that nobody told of were there too. */
  untilMs: number;
  /** The KV cache; stretches during which it was full are not counted: answers were preempted then. null = never full. */
  kv: { blocks: number; blockSize: number } | null;
}

const sameStep = 0.25;
/** First tokens closer together than this share of the shortest step left the engine with one step: what is between them is the client's. */
const sharedStep = 0.9;
/** Share of the KV cache above which it counts as full. */
const fullRatio = 0.98;
/** Shorter stretches say little: the moment within a step is not known. */
const leastSteps = 4;

/** Cuts time at the stays' ends and lays the stretches over the pieces. */
export function cutTime(
  stays: readonly Stay[],
  stretches: readonly Stretch[],
  arrivals: readonly { arrivalMs: number; firstMs: number; promptTokens: number }[],
  options: CutOptions,
): ClockPieces {
  const at = momentsOf(stays, stretches, sameStep * options.leastStepMs);
  const place = (moment: number): number => lastAtOrBefore(at, moment + 1e-9);
  const size = Math.max(0, at.length - 1);
  const pieces = {
    lengthMs: Float64Array.from({ length: size }, (_, j) => at[j + 1]! - at[j]!),
    decodes: new Float64Array(size),
    kvTokens: new Float64Array(size),
    prompts: new Float64Array(size),
    prefillTokens: new Float64Array(size),
    attention: new Float64Array(size),
    clear: new Uint8Array(size),
  };
  const change = {
    decodes: new Float64Array(size + 1),
    kv: new Float64Array(size + 1),
    rate: new Float64Array(size + 1),
  };
  const leftMs = stepEndsOf(stays, sharedStep * options.leastStepMs);
  for (const [i, { fromMs, toMs, promptTokens, steps }] of stays.entries()) {
    const [from, to] = [place(fromMs), place(toMs)];
    const prefilled = place(leftMs[i]!) - 1;
    if (prefilled >= 0 && promptTokens > 0) {
      pieces.prefillTokens[prefilled]! += promptTokens;
      pieces.attention[prefilled]! += (promptTokens * promptTokens) / 2;
      pieces.prompts[prefilled]!++;
    }
    if (to <= from) continue;
    // Tokens held at time t are a line; lines add up.
    const rate = steps / (at[to]! - at[from]!);
    const base = promptTokens + 1 - rate * at[from]!;
    for (const [where, sign] of [
      [from, 1],
      [to, -1],
    ] as const) {
      change.decodes[where]! += sign;
      change.kv[where]! += sign * base;
      change.rate[where]! += sign * rate;
    }
  }
  const overfull = new Int32Array(size + 1);
  let [decodes, kv, rate] = [0, 0, 0];
  for (let j = 0; j < size; j++) {
    decodes += change.decodes[j]!;
    kv += change.kv[j]!;
    rate += change.rate[j]!;
    pieces.decodes[j] = decodes;
    pieces.kvTokens[j] = Math.max(0, kv + (rate * (at[j]! + at[j + 1]!)) / 2);
    const full = isFull(pieces.kvTokens[j]!, decodes, options.kv);
    overfull[j + 1] = overfull[j]! + (full ? 1 : 0);
    pieces.clear[j] = !full && at[j + 1]! <= options.untilMs ? 1 : 0;
  }
  const counted = stretches.flatMap(({ fromMs, toMs, steps }) => {
    const [from, to] = [place(fromMs), place(toMs)];
    const usable = steps >= leastSteps && to > from && toMs <= options.untilMs && overfull[to] === overfull[from];
    return usable ? [{ from, to, steps }] : [];
  });
  return {
    ...pieces,
    from: Int32Array.from(counted, (one) => one.from),
    to: Int32Array.from(counted, (one) => one.to),
    steps: Float64Array.from(counted, (one) => one.steps),
    entrances: entrancesOf(arrivals, at, pieces, options),
  };
}

/** For each stay when its first token left the engine: with the first of those that came from the same step. */
function stepEndsOf(stays: readonly Stay[], withinMs: number): Float64Array {
  const order = [...stays.keys()].toSorted((a, b) => stays[a]!.fromMs - stays[b]!.fromMs);
  const out = new Float64Array(stays.length);
  let endMs = -Infinity;
  for (const i of order) {
    if (stays[i]!.fromMs > endMs + withinMs) endMs = stays[i]!.fromMs;
    out[i] = endMs;
  }
  return out;
}

function momentsOf(stays: readonly Stay[], stretches: readonly Stretch[], apartMs: number): Float64Array {
  const all = Float64Array.from([...stays, ...stretches].flatMap((one) => [one.fromMs, one.toMs])).sort();
  const kept: number[] = [];
  for (const moment of all) if (kept.length === 0 || moment > kept.at(-1)! + apartMs) kept.push(moment);
  return Float64Array.from(kept);
}

/** Requests that were alone in coming: nobody else's first token between their arrival and their own, nor just before. */
function entrancesOf(
  arrivals: readonly { arrivalMs: number; firstMs: number; promptTokens: number }[],
  at: Float64Array,
  pieces: Pick<ClockPieces, 'decodes' | 'kvTokens'>,
  { leastStepMs, untilMs, kv }: CutOptions,
): Entrance[] {
  const firsts = Float64Array.from(arrivals, (one) => one.firstMs).sort();
  return arrivals.flatMap(({ arrivalMs, firstMs, promptTokens }) => {
    if (firstMs > untilMs) return [];
    const own = lastAtOrBefore(firsts, firstMs);
    const before = own === 0 ? -Infinity : firsts[own - 1]!;
    const after = firsts[own + 1] ?? Infinity;
    // Two at one moment shared the step; one within the step before may have lengthened the wait.
    if (before > arrivalMs - leastStepMs || after <= firstMs + sharedStep * leastStepMs) return [];
    const piece = lastAtOrBefore(at, (arrivalMs + firstMs) / 2);
    const [decodes, kvTokens] = [pieces.decodes[piece] ?? 0, pieces.kvTokens[piece] ?? 0];
    const steady = (pieces.decodes[lastAtOrBefore(at, arrivalMs)] ?? 0) > 0 === decodes > 0;
    return steady && !isFull(kvTokens, decodes, kv)
      ? [{ ttftMs: firstMs - arrivalMs, promptTokens, decodes, kvTokens }]
      : [];
  });
}

/** Half of each sequence's last block is empty on average. */
function isFull(kvTokens: number, decodes: number, kv: CutOptions['kv']): boolean {
  return kv !== null && kvTokens + 0.5 * kv.blockSize * decodes > fullRatio * kv.blocks * kv.blockSize;
}

/** Index of the last entry that is not above the value; 0 when all are. */
function lastAtOrBefore(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
