import { randomStream } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { cutTime } from './clock-pieces.ts';
import { replay } from './replay.ts';
import { misfitByReplay, searchByReplay } from './replay-search.ts';
import type { Found, Shown } from './replay-search.ts';
import { arrivalsOf, leastStepOf, staysOf } from './batch-residency.ts';
import { clockOf, fitClock } from './step-clock.ts';
import { rulesOf } from './trace-variants.ts';

/** Times that the clock is read again with where the last reading puts those that were not shown. */
const readings = 8;

/** What moves by less than this (a share) from one reading to the next has been found. */
const settled = 0.005;

/** Costs that are looked at before the search begins, and how many of them it begins with. */
const looked = { at: 40, kept: 2 };
/** Where they lie: a as a share of the start's, c, k and p1 as shares of a. */
const ranges = { a: [0.4, 1.1], c: [5e-4, 1e-2], k: [1e-3, 2e-2], p1: [1.5e-3, 1.5e-2] } as const;

/** Searches that begin beside what was found, their rounds, and how far beside (as a logarithm): a and p1 are soon known, c and k stand for each other. */
const hops = { count: 6, rounds: 8, known: 0.15, unknown: 0.4 };

/** Searches from a start, from where the clock leads from there, and from the best of many costs; what is nearest. */
export function searchFrom(start: EngineProfile, shown: Shown): Found {
  const scattered = scatteredAround(start).map((profile) => ({
    profile,
    misfit: misfitByReplay(profile, shown),
  }));
  const best = scattered.toSorted((x, y) => x.misfit - y.misfit).slice(0, looked.kept);
  return [
    searchClocked(start, shown),
    ...[start, ...best.map(({ profile }) => profile)].map((profile) => searchByReplay(profile, shown)),
  ].reduce((first, next) => (next.misfit < first.misfit ? next : first));
}

/** Begins again and again a little beside what was found: a search ends in the first hollow, and the deepest is mostly near. */
export function searchBeside(found: Found, shown: Shown): Found {
  const random = randomStream(2, 'costs to begin with');
  const off = (spread: number): number => Math.exp(spread * random.normal());
  let nearest = found;
  for (let hop = 0; hop < hops.count; hop++) {
    const { aMs, cMsPerDecode, kMsPer1000KvTokens, p1MsPerPrefillToken, rMsPerPrompt } = nearest.profile.cost;
    const beside = [
      aMs * off(hops.known),
      Math.max(cMsPerDecode, ranges.c[0] * aMs) * off(hops.unknown),
      Math.max(kMsPer1000KvTokens, ranges.k[0] * aMs) * off(hops.unknown),
      p1MsPerPrefillToken * off(hops.known),
      0,
      (rMsPerPrompt ?? 0) * off(hops.unknown),
    ];
    const next = searchByReplay(withCost(nearest.profile, beside), shown, hops.rounds);
    if (next.misfit < nearest.misfit) nearest = next;
  }
  return nearest;
}

function scatteredAround(start: EngineProfile): EngineProfile[] {
  const random = randomStream(1, 'costs to begin with');
  const within = ([low, high]: readonly [number, number]): number => low * (high / low) ** random.next();
  return Array.from({ length: looked.at }, () => {
    const aMs = start.cost.aMs * within(ranges.a);
    return withCost(start, [aMs, aMs * within(ranges.c), aMs * within(ranges.k), aMs * within(ranges.p1), 0]);
  });
}

/** Searches from where the clock leads. */
export function searchClocked(start: EngineProfile, shown: Shown): Found {
  return searchByReplay(clockedWithAll(start, shown), shown);
}

/**
 * A clock whose batches hold those, too, that came after the part that may be seen: a replay says when they were there. Where it puts them depends on the cost that is
 * looked for, so it is read again and again.
 */
function clockedWithAll(start: EngineProfile, { train, played }: Shown): EngineProfile {
  const leastStepMs = leastStepOf(train);
  const { stays, stretches } = staysOf(train, leastStepMs);
  const arrivals = arrivalsOf(train);
  const rules = { ...rulesOf(start.scheduler!), promptCost: start.cost.rMsPerPrompt !== undefined, bend: 1, beyond: 1 };
  let x = clockOf(start.cost);
  for (let reading = 0; reading < readings; reading++) {
    const { ttftMs, latencyMs } = replay(withCost(start, x), played);
    const others = played.slice(train.length).map(({ arrivalMs, promptTokens, outputTokens }, i) => ({
      fromMs: arrivalMs + ttftMs[train.length + i]!,
      toMs: arrivalMs + latencyMs[train.length + i]!,
      promptTokens,
      steps: outputTokens - 1,
    }));
    const pieces = cutTime([...stays, ...others], stretches, arrivals, { leastStepMs, untilMs: Infinity, kv: null });
    const before = x;
    ({ x } = fitClock(pieces, [], x, rules));
    if (x.every((value, i) => Math.abs(value - before[i]!) <= settled * Math.max(value, 1e-3 * x[0]!))) break;
  }
  return withCost(start, x);
}

function withCost(profile: EngineProfile, [a, c, k, p1, m, r]: readonly number[]): EngineProfile {
  const cost = {
    aMs: a!,
    cMsPerDecode: c!,
    kMsPer1000KvTokens: k!,
    p1MsPerPrefillToken: p1!,
    mMsPerMillionAttention: m!,
    ...(profile.cost.rMsPerPrompt !== undefined && { rMsPerPrompt: r! }),
  };
  return { ...profile, cost, overheadMs: 0 };
}
