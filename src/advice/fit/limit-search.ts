import { aheadSetting, schedulers } from '../../engine/sim/index.ts';
import type { EngineProfile, SettingValue } from '../../engine/sim/index.ts';
import type { TraceFitOptions } from './fit-trace.ts';
import { overlapOf, searchByReplay } from './replay-search.ts';
import type { Found, Shown } from './replay-search.ts';
import { searchBeside, searchClocked, searchFrom } from './search-starts.ts';
import type { TracedRequest } from './request-trace.ts';
import { leastStepOf } from './batch-residency.ts';
import { allowedBudget, budget, mostDecoding, roundBatches, usualBudgets, wideBatch } from './trace-variants.ts';
import { usualShares } from './usual-shares.ts';

/** A limit that was not told must make the trace so much likelier (a difference of logarithms) than none, else there is none. */
const worth = 5;
/** Nobody was let in for so many of the shortest steps, and then so many had been waiting: the door was closed. */
const closed = { steps: 40, waiting: 3 };
/** Sizes of a KV cache that are tried are this far apart, at first and then around the best so far; and a little beyond what the trace says. */
const apart = { coarse: 1.04, finer: [0.02, 0.01], beyond: 1.05 };
/** Rounds of a search that only compares. */
const fewRounds = 4;
/** Where searches for what a prompt costs of its own begin, as shares of a. */
const likelyPrompts = [0.3, 2] as const;
/** What a step costs besides its sequences, as a share of the shortest that was seen. */
const shortStep = 0.9;
/** Tokens to a KV block as servers have them. */
const blockSizes = { mindie: 128, usual: 16 };

/** Where a search begins: a step like the shortest that was seen, the rest as engines have it; limits that nobody told are wide. */
export function searchStart(
  { scheduler, settings }: TraceFitOptions,
  { train }: Shown,
): Pick<EngineProfile, 'cost' | 'maxBatchSize' | 'scheduler'> {
  const kind = schedulers[scheduler];
  const sized = { [kind.batchSetting]: wideBatch(train), ...settings };
  const budgets = Object.hasOwn(kind.settings, budget)
    ? { [budget]: allowedBudget(usualBudgets[1], scheduler, sized, train) }
    : {};
  const aMs = shortStep * leastStepOf(train);
  return {
    cost: {
      aMs,
      cMsPerDecode: usualShares.c * aMs,
      kMsPer1000KvTokens: usualShares.k * aMs,
      p1MsPerPrefillToken: usualShares.p1 * aMs,
    },
    maxBatchSize: Number(sized[kind.batchSetting]),
    scheduler: { name: scheduler, settings: { ...budgets, ...sized } },
  };
}

/** What nobody told (batch, KV cache, tokens of a step, whether steps are formed ahead), by which of it lets replays come out as measured. */
export function searchLimits(base: EngineProfile, options: TraceFitOptions, shown: Shown): Found {
  const told = (name: string): boolean => Object.hasOwn(options.settings, name);
  const { batchSetting, settings } = schedulers[options.scheduler];
  let best = searchFrom(base, shown);
  if (!told(batchSetting)) {
    const most = mostDecoding(shown.train);
    const sizes = roundBatches.filter((size) => size >= most && size < base.maxBatchSize);
    const limited = nearest(sizes.map((size) => searchClocked(withSetting(base, batchSetting, size), shown)));
    if (limited !== null && limited.misfit < best.misfit - worth) best = limited;
  }
  if (options.kv === null) {
    const limited = searchKv(base, options, shown);
    if (limited !== null && limited.misfit < best.misfit - worth) best = limited;
  }
  if (Object.hasOwn(settings, budget) && !told(budget)) {
    const now = best.profile.scheduler!.settings;
    const allowed = usualBudgets.map((tokens) => allowedBudget(tokens, options.scheduler, now, shown.train));
    const others = [...new Set(allowed)].filter((tokens) => tokens !== now[budget]);
    const again = (tokens: number): Found =>
      searchByReplay(withSetting(best.profile, budget, tokens), shown, fewRounds);
    best = nearest([best, ...others.map(again)])!;
  }
  if (Object.hasOwn(settings, aheadSetting) && !told(aheadSetting)) {
    const ahead = withSetting(best.profile, aheadSetting, true);
    best = nearest([best, searchByReplay(ahead, shown), searchClocked(ahead, shown)])!;
  }
  return withPromptCost(searchBeside(best, shown), shown);
}

/** The same engine with a cost of every prompt, whatever its length, where that makes the trace clearly likelier: by more than the answers of one batch, which share their steps. */
function withPromptCost(found: Found, shown: Shown): Found {
  const starts = likelyPrompts.map((share) => {
    const { cost } = found.profile;
    return { ...found.profile, cost: { ...cost, rMsPerPrompt: share * cost.aMs } };
  });
  const own = nearest([searchClocked(starts[0]!, shown), ...starts.map((start) => searchByReplay(start, shown))])!;
  return own.misfit < found.misfit - overlapOf(shown.train) ? searchBeside(own, shown) : found;
}

/** The size of the KV cache that explains why nobody was let in; null = that is not known to have happened. */
function searchKv(base: EngineProfile, { scheduler, settings }: TraceFitOptions, shown: Shown): Found | null {
  const { train } = shown;
  const door = doorOf(train);
  const batch = settings[schedulers[scheduler].batchSetting];
  if (door === null || (batch !== undefined && door.running >= Number(batch))) return null;
  const blockSize = scheduler === 'mindie' ? blockSizes.mindie : blockSizes.usual;
  // Whoever was answered fitted in.
  const least = Math.ceil(shown.longestTokens / blockSize);
  const sized = (blocks: number): Found =>
    searchByReplay({ ...base, kv: { blocks: Math.max(least, Math.round(blocks)), blockSize } }, shown, fewRounds);
  const low = Math.max(least, door.leastTokens / apart.beyond / blockSize);
  const high = (door.mostTokens * apart.beyond) / blockSize;
  if (low >= high) return null;
  const count = Math.ceil(Math.log(high / low) / Math.log(apart.coarse));
  let best = nearest(Array.from({ length: count + 1 }, (_, i) => sized(low * (high / low) ** (i / count))))!;
  for (const share of apart.finer) {
    const { blocks } = best.profile.kv!;
    best = nearest([best, sized(blocks * (1 - share)), sized(blocks * (1 + share))])!;
  }
  return searchByReplay(best.profile, shown);
}

function nearest(all: readonly Found[]): Found | null {
  return all.reduce<Found | null>((best, next) => (best === null || next.misfit < best.misfit ? next : best), null);
}

function withSetting(profile: EngineProfile, name: string, value: SettingValue): EngineProfile {
  const scheduler = profile.scheduler!;
  const settings = { ...scheduler.settings, [name]: value };
  const isBatch = schedulers[scheduler.name].batchSetting === name;
  return { ...profile, scheduler: { ...scheduler, settings }, ...(isBatch && { maxBatchSize: Number(value) }) };
}

/** When nobody was let in any more though some were waiting: who was in the batch then. */
interface Door {
  running: number;
  /** What they held in the KV cache: their prompts at least; at most with as many tokens as if steps had always been as quick as later on. */
  leastTokens: number;
  mostTokens: number;
}

/** The first time in a trace that the door was closed; null = it never was. */
function doorOf(train: readonly TracedRequest[]): Door | null {
  const firstMs = train.map(({ arrivalMs, ttftMs }) => arrivalMs + ttftMs);
  const leastStepMs = leastStepOf(train);
  let latestMs = -Infinity;
  for (const [i, { arrivalMs }] of train.entries()) {
    const sinceMs = Math.max(latestMs, arrivalMs);
    const untilMs = firstMs[i]!;
    latestMs = Math.max(latestMs, untilMs);
    if (untilMs - sinceMs < closed.steps * leastStepMs || sinceMs === arrivalMs) continue;
    const waiting = train.filter(
      (request, j) => j >= i && request.arrivalMs < untilMs && firstMs[j]! >= untilMs,
    ).length;
    if (waiting < closed.waiting) continue;
    const inside = train.filter(
      (request, j) => firstMs[j]! <= sinceMs && request.arrivalMs + request.latencyMs > sinceMs,
    );
    const made = ({ arrivalMs: at, ttftMs, tpotMs }: TracedRequest): number =>
      tpotMs === null ? 1 : 1 + (sinceMs - at - ttftMs) / Math.max(tpotMs, leastStepMs);
    return {
      running: inside.length,
      leastTokens: inside.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      mostTokens: inside.reduce((sum, request) => sum + request.promptTokens + made(request), 0),
    };
  }
  return null;
}
