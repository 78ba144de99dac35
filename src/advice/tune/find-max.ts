import { percentileRanks } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import type { Slo } from '../../results/measure/index.ts';
import { sloWord } from './goal-metrics.ts';
import { allowanceOf, usualNoise } from './noise.ts';
import type { Trial } from './trial.ts';

/** One measured load: its figures by metric word; null = it is not known, or the run failed. */
export interface Probe {
  load: number;
  figures: Readonly<Record<string, number | null>>;
  /** Made to confirm a load that was chosen before. */
  fresh: boolean;
  /** Its requests' own times, which tell how sure its percentiles are; left out = not known. */
  times?: Pick<Summary, 'ttftMs' | 'tpotMs' | 'itlMs' | 'latencyMs'>;
  /** It ended early, because it had lost; its figures are those of fewer requests. */
  cut?: boolean;
}

/** What to measure next, or what was found. */
export type FindStep = { kind: 'measure'; load: number; fresh: boolean } | Found;

/** The answer, and why it is not a larger one. */
export interface Found {
  kind: 'found';
  /** null = even the least load breaks an SLO, which `broken` names. */
  load: number | null;
  confirmed: boolean;
  broken: string | null;
  /** It is the end of the range: more may be possible beyond it. */
  atMost: boolean;
  /** The looks were spent before the edge was known: more may be possible within the range. */
  outOfRuns: boolean;
}

/** Where to look, and how sure to be. */
export interface FindQuestion {
  slos: readonly Slo[];
  least: number;
  most: number;
  /** Concurrencies are whole. */
  whole: boolean;
  /** Where to look first; left out = at the least load. */
  first?: number;
  /** The next load over the last, as long as none broke a limit; left out = 2. */
  growth?: number;
  budget: number;
  /** Two loads closer than this ratio count as the same. */
  tolerance: number;
}

const usualGrowth = 2;
/** One-sided; an answer is wrong this seldom for the noise of its looks. */
const certainty = 0.95;
/** The load that breaks a limit is to be no further than this above the answer. */
const edgeRatio = 1.3;
const leastExcess = 1e-6;
/** Runs at the answer, the one that found it among them. */
const leastRuns = 2;

/**
 * The largest load under SLOs, from noisy looks. The load grows until a limit is broken; the bracket is then cut where the figures
 * say that they cross the limit. A load is good where the mean of its looks keeps every limit at the 95 % bound of two runs, so that
 * another run will bear it out; the largest good load is looked at afresh before it is the answer.
 */
export function findMax(question: FindQuestion, probes: readonly Probe[]): FindStep {
  const { least, most, whole, budget, tolerance } = question;
  const fit = (load: number): number => {
    const within = Math.min(most, Math.max(least, load));
    return whole ? Math.max(1, Math.round(within)) : Number(within.toPrecision(4));
  };
  const looks = [...new Set(probes.map(({ load }) => load))]
    .toSorted((x, y) => x - y)
    .map((load) => lookAt(question, probes, load));
  const firstBad = looks.find(({ excess }) => excess > 0) ?? null;
  const low = looks.findLast(({ load, good }) => good && load < (firstBad?.load ?? Infinity)) ?? null;
  const top = looks.find(({ load, good }) => !good && load > (low?.load ?? 0)) ?? null;
  const out = probes.length >= budget;
  const measure = (load: number, fresh = false): FindStep => ({ kind: 'measure', load: fit(load), fresh });
  if (low === null) {
    if (top === null) return measure(question.first ?? least);
    if (top.load > fit(least) && !out) return measure(downFrom(question, top));
    if (top.excess > 0 || out) {
      const broken = worstSlo(question, probes, top.load);
      return { kind: 'found', load: null, confirmed: false, broken, atMost: false, outOfRuns: false };
    }
    // The least load keeps its limits, though not by enough: what it comes to in several runs decides.
    return settle(question, probes, top, { measure, near: true, unbroken: false, fit });
  }
  // What is left for the looks that confirm.
  const spare = probes.length + leastRuns - 1 < budget;
  if (top === null && low.load < fit(most) && spare) return measure(upFrom(question, looks, low));
  const near =
    top === null ||
    fit(low.load) >= fit(top.load) ||
    top.load <= (whole ? Math.ceil(low.load * (1 + tolerance)) : low.load * (1 + tolerance));
  if (!near && spare) {
    const cut = fit(crossing(question, low, top));
    if (cut > low.load && cut < top.load) return measure(cut);
    const middle = fit(whole ? low.load + 1 : Math.sqrt(low.load * top.load));
    if (middle > low.load && middle < top.load) return measure(middle);
  }
  const beyond = top === null || !spare ? null : beyondEdge(looks, low.load, question);
  if (beyond !== null && fit(beyond) < (firstBad?.load ?? Infinity)) return measure(beyond);
  return settle(question, probes, low, { measure, near, unbroken: top === null, fit });
}

/** Limits that are nearly broken are not broken: where to look for the other side of the edge; null = it is near enough. */
function beyondEdge(looks: readonly Look[], low: number, { tolerance, whole, most }: FindQuestion): number | null {
  const bad = looks.find(({ excess }) => excess > 0)?.load ?? Infinity;
  if (bad <= Math.max(low * edgeRatio, low + (whole ? 2 : 0))) return null;
  const base = looks.findLast(({ load }) => load < bad)!.load;
  const next = Math.max(base * (1 + 2 * tolerance), whole ? base + 1 : 0);
  return base >= most || next >= bad ? null : Math.min(next, most);
}

/** What the looks at one load amount to. */
interface Look {
  load: number;
  /** How far the worst figure is beyond its limit, as a logarithm. */
  excess: number;
  /** Every figure keeps its limit at the 95 % bound of two runs. */
  good: boolean;
  /** Means of the figures by word; null = not known. */
  figures: Readonly<Record<string, number | null>>;
  /** What each figure has to keep for the load to be good: its limit, less what another run may differ by. */
  goals: Readonly<Record<string, number>>;
}

function lookAt(question: FindQuestion, probes: readonly Probe[], load: number): Look {
  const here = probes.filter((probe) => probe.load === load);
  const words = [...question.slos.map(sloWord), 'requestsPerSec'];
  const figures = Object.fromEntries(
    words.map((word) => [word, meanOf(here.map(({ figures: own }) => own[word] ?? null))]),
  );
  const goals = Object.fromEntries(
    question.slos.map((slo) => {
      const side = slo.op.startsWith('<') ? -1 : 1;
      return [sloWord(slo), slo.limit * Math.exp(side * marginOf(slo, here, probes))];
    }),
  );
  return {
    load,
    goals,
    excess: excessAt(question, probes, load),
    good: here.every(({ cut }) => cut !== true) && question.slos.every((slo) => boundKept(slo, here, probes)),
    figures,
  };
}

function meanOf(values: readonly (number | null)[]): number | null {
  if (values.length === 0 || values.includes(null)) return null;
  return (values as number[]).reduce((sum, value) => sum + value, 0) / values.length;
}

/** The answer, once enough runs stand behind it and one of them was made after it was chosen. */
function settle(
  { most, budget }: FindQuestion,
  probes: readonly Probe[],
  { load, good }: Look,
  place: {
    measure(load: number, fresh: boolean): FindStep;
    near: boolean;
    unbroken: boolean;
    fit(load: number): number;
  },
): FindStep {
  const here = probes.filter((probe) => probe.load === load);
  const enough = here.length >= leastRuns && here.some(({ fresh }) => fresh);
  // A load that keeps its limits by a hair has one run more to show it.
  const patient = good ? leastRuns : leastRuns + 1;
  const out = probes.length >= budget;
  if (!out && (!enough || here.length < patient)) return place.measure(load, true);
  const end = place.fit(most);
  return {
    kind: 'found',
    load,
    confirmed: enough && good,
    broken: null,
    atMost: place.unbroken && load >= end,
    outOfRuns: place.unbroken ? load < end : !place.near && probes.length + 1 >= budget,
  };
}

/** The next load below one that is too much, where nothing below is known. */
function downFrom(question: FindQuestion, top: Look): number {
  const { least } = question;
  const guesses = question.slos.flatMap((slo) => waitingGuess(question, slo, top) ?? []);
  const guess = Math.min(...guesses, top.load / usualGrowth);
  return Math.max(least, top.load / usualGrowth ** 2, guess);
}

/** The next load above one that is good, where nothing broke yet: a jump, but not far beyond where the figures are heading. */
function upFrom(question: FindQuestion, looks: readonly Look[], low: Look): number {
  const growth = question.growth ?? usualGrowth;
  const before = looks.findLast(({ load }) => load < low.load);
  const jump = low.load * growth;
  if (before === undefined || !question.whole) return jump;
  const heading = question.slos.flatMap((slo) => {
    const [a, b] = [before, low].map(({ figures }) => figures[sloWord(slo)] ?? null);
    if (a == null || b == null || slo.op.startsWith('>') || b <= a) return [];
    return [low.load + ((slo.limit - b) / (b - a)) * (low.load - before.load)];
  });
  return Math.min(jump, Math.max(low.load * 1.5, 1.1 * Math.min(...heading, Infinity)));
}

/**
 * Where the figures cross their limits between a load that is good and one that is not, kept away from both so that every look cuts
 * the bracket. Figures are taken to grow with the load in a straight line, which a queue's do late and steeply: where requests wait,
 * one user less shortens the wait by the time of one answer (Little), which gives the crossing from above. The cut lies between the two.
 */
function crossing(question: FindQuestion, low: Look, top: Look): number {
  const { whole, tolerance } = question;
  const cuts = question.slos.map((slo) => {
    const word = sloWord(slo);
    const [a, b] = [low.figures[word] ?? null, top.figures[word] ?? null];
    const goal = top.goals[word]!;
    const within = b !== null && (slo.op.startsWith('<') ? b < goal : b > goal);
    if (a === null || b === null || a === b || within) return top.load;
    const part = Math.min(1, Math.max(0, (goal - a) / (b - a)));
    if (!whole) return low.load * (top.load / low.load) ** part;
    const straight = low.load + part * (top.load - low.load);
    const waiting = waitingGuess(question, slo, top) ?? straight;
    return waiting > straight ? Math.sqrt(straight * waiting) : straight;
  });
  const step = 1 + tolerance;
  return Math.max(low.load * step, Math.min(top.load / step, ...cuts));
}

/** Where a wait would be within its limit again, by Little's law from one load that is too much; null = it is no wait. */
function waitingGuess({ whole }: FindQuestion, slo: Slo, top: Look): number | null {
  const value = top.figures[sloWord(slo)] ?? null;
  const goal = top.goals[sloWord(slo)]!;
  const perSec = top.figures['requestsPerSec'] ?? null;
  const waits = (slo.metric === 'ttft' || slo.metric === 'latency') && slo.op.startsWith('<');
  if (!whole || !waits || value === null || perSec === null || value <= goal) return null;
  return top.load - (perSec * (value - goal)) / 1000;
}

/** How far the worst figure is beyond its limit, as a logarithm; a load that could not be measured counts as far beyond. */
function excessAt({ slos }: FindQuestion, probes: readonly Probe[], load: number): number {
  const here = probes.filter((probe) => probe.load === load);
  const excess = Math.max(...slos.map((slo) => excessOf(slo, here)));
  // What was ended because it had lost, has lost.
  return here.some(({ cut }) => cut) ? Math.max(excess, leastExcess) : excess;
}

function excessOf(slo: Slo, here: readonly Probe[]): number {
  const values = here.map(({ figures }) => figures[sloWord(slo)] ?? null);
  if (values.includes(null)) return 3;
  const known = values as number[];
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const side = slo.op.startsWith('<') ? 1 : -1;
  if (slo.limit === 0 || mean === 0)
    return mean === slo.limit ? (slo.op.length > 1 ? 0 : 1e-9) : side * (mean > slo.limit ? 1 : -1);
  return side * Math.log(mean / slo.limit);
}

function worstSlo(question: FindQuestion, probes: readonly Probe[], load: number): string | null {
  const here = probes.filter((probe) => probe.load === load);
  const [worst] = question.slos.toSorted((a, b) => excessOf(b, here) - excessOf(a, here));
  return worst?.text ?? null;
}

/** Whether the looks at a load keep an SLO at the 95 % bound of two runs. */
function boundKept(slo: Slo, here: readonly Probe[], probes: readonly Probe[]): boolean {
  return excessOf(slo, here) + marginOf(slo, here, probes) <= 0;
}

/** How far below its limit a figure has to be, as a logarithm. */
function marginOf(slo: Slo, here: readonly Probe[], probes: readonly Probe[]): number {
  const word = sloWord(slo);
  if (word === 'failed') return 0;
  const own = here.flatMap((probe) => ownNoise(word, probe.times) ?? []);
  const expected = Math.min(usualNoise(word), Math.max(noiseFloor, ...own, own.length === 0 ? Infinity : 0));
  return allowanceOf(word, probes.map(asTrial), Math.max(leastRuns, here.length), { confidence: certainty, expected });
}

const timeKeys = { ttft: 'ttftMs', tpot: 'tpotMs', itl: 'itlMs', latency: 'latencyMs' } as const;
/** How much more two runs differ than independent requests would, and what they differ by at the least. */
const [wider, noiseFloor] = [3, 0.01];

/**
 * How far a percentile may wander, as the standard deviation of its logarithm, by the law of order statistics from how close the requests
 * lie around it; null = it is no percentile, or there are none.
 */
function ownNoise(word: string, times: Probe['times']): number | null {
  const [metric = '', statistic = ''] = word.split('.');
  if (times === undefined || !Object.hasOwn(timeKeys, metric)) return null;
  const known = times[timeKeys[metric as keyof typeof timeKeys]];
  const at = percentileRanks.findIndex((rank) => `p${rank}` === statistic);
  if (known === null || at < 1) return null;
  const [below, rank] = [percentileRanks[at - 1]!, percentileRanks[at]!];
  const [low, value] = [known[`p${below}`], known[`p${rank}`]];
  if (low === null || value === null || !(value > 0) || known.n < 2) return null;
  const share = rank / 100;
  const slope = (value - low) / ((rank - below) / 100);
  return (wider * Math.sqrt((share * (1 - share)) / known.n) * slope) / value;
}

function asTrial({ load, figures, cut = false }: Probe): Trial {
  return {
    number: 0,
    phase: 'confirm',
    variant: null,
    settings: { load },
    load: { concurrency: null, ratePerSec: null },
    seed: 0,
    outcome: cut ? 'interrupted' : 'ok',
    cause: null,
    figures,
    predicted: null,
    summary: null,
    runId: null,
    restarted: false,
    startedAt: null,
    durationMs: null,
  };
}
