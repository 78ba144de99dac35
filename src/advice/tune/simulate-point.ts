import { percentileRanks, quantile, randomStream } from '../../core/index.ts';
import { EngineCore, schedulers } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import type { TrialLoad } from './setting.ts';

/** What requests look like: mean lengths, and how far answers spread around theirs (0 = all alike). */
export interface RequestLengths {
  inputTokens: number;
  outputTokens: number;
  outputSpread: number;
}

/** Figures of a simulated steady state, by metric word. */
export type SimulatedFigures = Readonly<Record<string, number>>;

/** A request of a simulated load that was answered. */
export interface Done {
  sentMs: number;
  firstMs: number;
  endMs: number;
  tokens: number;
}

/** A backlog this much above the batch keeps it full; what waits longer only adds to the first token, by Little's law. */
const backlog = { ratio: 1.25, least: 8 };
const mostInWaves = 1024;
const leastRequests = 60;
const openRequests = 240;

/** Plays a load against a profile in virtual time until it is steady and reads what a client would see; null = it never fits. */
export function simulatePoint(
  profile: EngineProfile,
  load: TrialLoad,
  lengths: RequestLengths,
): SimulatedFigures | null {
  const core = new EngineCore({ profile, seed: 1, keepTimes: false });
  const longest = Math.ceil(lengths.outputTokens * (1 + lengths.outputSpread)) + 1;
  if (!core.fits(lengths.inputTokens, longest)) return null;
  return load.ratePerSec === null
    ? closedFigures(profile, core, load.concurrency ?? 1, lengths)
    : openFigures(profile, core, load, lengths);
}

function outputDraw(lengths: RequestLengths): () => number {
  const random = randomStream(1, 'answer lengths of a simulated point');
  return () => Math.max(1, Math.round(lengths.outputTokens * (1 + lengths.outputSpread * (2 * random.next() - 1))));
}

/** So many of a closed load are simulated at once. `alike` = its answers are of one length. */
export function inFlightOf(profile: EngineProfile, concurrency: number, alike: boolean): number {
  const cap = Math.ceil(batchOf(profile) * backlog.ratio) + backlog.least;
  // Answers of one length go through in waves, and what the last wave of a load is like hangs on the whole of it.
  const inWaves = alike && concurrency <= mostInWaves;
  return Math.max(1, inWaves ? concurrency : Math.min(concurrency, cap));
}

function closedFigures(
  profile: EngineProfile,
  core: EngineCore,
  concurrency: number,
  lengths: RequestLengths,
): SimulatedFigures {
  const inFlight = inFlightOf(profile, concurrency, lengths.outputSpread < 0.02);
  const count = Math.max(leastRequests, 3 * inFlight);
  const draw = outputDraw(lengths);
  const sent: { atMs: number; tokens: number }[] = [];
  const done: Done[] = [];
  const send = (nowMs: number): void => {
    const outputTokens = draw();
    core.submit({ id: sent.length, inputTokens: lengths.inputTokens, outputTokens, arrivalMs: nowMs });
    sent.push({ atMs: nowMs, tokens: outputTokens });
  };
  while (sent.length < inFlight) send(0);
  core.beginStep(0);
  let endMs = 0;
  while (done.length < count - inFlight) {
    const finishes = core.advance(Infinity);
    for (const { id, firstTokenMs, endMs: atMs } of finishes) {
      done.push({ sentMs: sent[id]!.atMs, firstMs: firstTokenMs, endMs: atMs, tokens: sent[id]!.tokens });
      endMs = atMs;
    }
    for (let i = 0; i < finishes.length && sent.length < count; i++) send(endMs);
    if (core.step === null) core.beginStep(endMs);
  }
  return closedWindow(done, inFlight, { ...seenFrom(profile, lengths), concurrency });
}

/** Figures of what was answered after the opening cohort; what waits beyond those in flight comes by Little's law. */
export function closedWindow(
  done: readonly Done[],
  inFlight: number,
  seen: Seen & { concurrency: number },
): SimulatedFigures {
  const window = done.slice(Math.min(inFlight, Math.floor(done.length / 2)));
  const fromMs = done[done.length - window.length - 1]?.endMs ?? 0;
  return figuresOf(window, done.at(-1)!.endMs - fromMs, seen.concurrency > inFlight ? seen.concurrency : null, seen);
}

/** When the requests of a simulated open load are sent. */
export function openArrivals(ratePerSec: number): number[] {
  const random = randomStream(1, 'arrivals of a simulated point');
  let atMs = 0;
  return Array.from({ length: openRequests }, () => (atMs += (1000 / ratePerSec) * random.exponential()));
}

function openFigures(
  profile: EngineProfile,
  core: EngineCore,
  load: TrialLoad,
  lengths: RequestLengths,
): SimulatedFigures {
  const draw = outputDraw(lengths);
  const arrivals = openArrivals(load.ratePerSec!);
  const sent: { atMs: number; tokens: number }[] = [];
  const done: Done[] = [];
  while (done.length < openRequests) {
    const nextMs = arrivals[sent.length] ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    for (const { id, firstTokenMs, endMs } of finishes)
      done.push({ sentMs: sent[id]!.atMs, firstMs: firstTokenMs, endMs, tokens: sent[id]!.tokens });
    if (finishes.length > 0 || nextMs === Infinity) continue;
    const outputTokens = draw();
    core.submit({ id: sent.length, inputTokens: lengths.inputTokens, outputTokens, arrivalMs: nextMs });
    sent.push({ atMs: nextMs, tokens: outputTokens });
    if (core.step === null) core.beginStep(nextMs);
  }
  return openWindow(done, arrivals, seenFrom(profile, lengths));
}

/** Figures of what was sent after a quarter of the load, and answered before its stragglers. */
export function openWindow(done: readonly Done[], arrivals: readonly number[], seen: Seen): SimulatedFigures {
  const skipped = Math.floor(openRequests / 4);
  const fromMs = arrivals[skipped]!;
  const toMs = Math.max(arrivals.at(-1)!, ...done.slice(0, Math.floor(0.95 * openRequests)).map((one) => one.endMs));
  const window = done.filter(({ sentMs, endMs }) => sentMs >= fromMs && endMs <= toMs);
  return figuresOf(window, toMs - fromMs, null, seen);
}

function batchOf(profile: EngineProfile): number {
  const { name, settings } = profile.scheduler ?? { name: 'continuous' as const, settings: {} };
  return Number(settings[schedulers[name].batchSetting] ?? profile.maxBatchSize);
}

/** What a client sees beside the times of a simulated engine. */
export interface Seen {
  inputTokens: number;
  /** Of each request outside of the engine, where its times do not hold it yet. */
  overheadMs: number;
}

function seenFrom({ overheadMs = 0 }: EngineProfile, { inputTokens }: RequestLengths): Seen {
  return { inputTokens, overheadMs };
}

/** `queued` is the true number in flight where more wait than were simulated. */
function figuresOf(
  window: readonly Done[],
  spanMs: number,
  queued: number | null,
  { inputTokens, overheadMs }: Seen,
): SimulatedFigures {
  const requestsPerSec = (1000 * window.length) / spanMs;
  const tokens = window.reduce((sum, one) => sum + one.tokens, 0);
  const decodeMs = window.map((one) => one.endMs - one.firstMs);
  const gaps = window.reduce((sum, one) => sum + one.tokens - 1, 0);
  const tpot = window.filter((one) => one.tokens > 1).map((one) => (one.endMs - one.firstMs) / (one.tokens - 1));
  const ttft = window.map((one) => one.firstMs - one.sentMs + overheadMs);
  const latency = window.map((one) => one.endMs - one.sentMs + overheadMs);
  if (queued !== null) {
    const moreMs = (1000 * queued) / requestsPerSec - mean(latency);
    for (let i = 0; i < window.length; i++) {
      ttft[i]! += moreMs;
      latency[i]! += moreMs;
    }
  }
  const figures: Record<string, number> = {
    outputTokensPerSec: (1000 * tokens) / spanMs,
    totalTokensPerSec: (1000 * (tokens + window.length * inputTokens)) / spanMs,
    requestsPerSec,
    'itl.mean': gaps > 0 ? decodeMs.reduce((sum, value) => sum + value, 0) / gaps : mean(latency),
  };
  for (const [word, values] of Object.entries({ ttft, tpot, latency })) {
    const sorted = (values.length > 0 ? values : [0]).toSorted((a, b) => a - b);
    figures[`${word}.mean`] = mean(sorted);
    figures[`${word}.min`] = sorted[0]!;
    figures[`${word}.max`] = sorted.at(-1)!;
    for (const rank of percentileRanks) figures[`${word}.p${rank}`] = quantile(sorted, rank / 100)!;
  }
  return figures;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
