import type { Slo } from '../../results/measure/index.ts';
import { sloWord } from './goal-metrics.ts';
import { allowanceOf } from './noise.ts';
import type { Trial } from './trial.ts';

/** One measured load: its figures by metric word; null = it is not known, or the run failed. */
export interface Probe {
  load: number;
  figures: Readonly<Record<string, number | null>>;
  /** Made to confirm a load that was chosen before. */
  fresh: boolean;
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
  /** How far to back off where fresh runs do not bear a load out; left out = 0.03. */
  backOff?: number;
  budget: number;
  /** Two loads closer than this ratio count as the same. */
  tolerance: number;
  confirmRuns: number;
}

const usualGrowth = 2;
/** A load is backed off by this much when fresh runs do not bear it out. */
const usualBackOff = 0.03;

/**
 * The largest load under SLOs, from noisy looks: the load is doubled until a limit is broken, the bracket is then cut where the
 * figures (interpolated on logarithms) cross the limit, and the answer has to stand fresh runs at the 90 % bound.
 */
export function findMax(question: FindQuestion, probes: readonly Probe[]): FindStep {
  const growth = question.growth ?? usualGrowth;
  const fit = (load: number): number => {
    const within = Math.min(question.most, Math.max(question.least, load));
    return question.whole ? Math.max(1, Math.round(within)) : Number(within.toPrecision(4));
  };
  const loads = [...new Set(probes.map(({ load }) => load))].toSorted((a, b) => a - b);
  const excess = new Map(loads.map((load) => [load, excessAt(question, probes, load)]));
  const good = loads.filter(
    (load) => excess.get(load)! <= 0 && !loads.some((other) => other < load && excess.get(other)! > 0),
  );
  const low = good.at(-1) ?? null;
  const high = loads.find((load) => excess.get(load)! > 0) ?? null;
  const spent = probes.length;
  const reserve = question.confirmRuns;
  if (low === null) {
    if (high === null) return { kind: 'measure', load: fit(question.first ?? question.least), fresh: false };
    if (high <= fit(question.least) || spent >= question.budget) {
      const broken = worstSlo(question, probes, high);
      return { kind: 'found', load: null, confirmed: false, broken, atMost: false, outOfRuns: false };
    }
    return { kind: 'measure', load: fit(Math.max(question.least, high / usualGrowth ** 2)), fresh: false };
  }
  if (high === null && low < question.most && spent + reserve < question.budget) {
    return { kind: 'measure', load: fit(low * growth), fresh: false };
  }
  const near =
    high === null ||
    fit(low) >= fit(high) ||
    high / low <= 1 + question.tolerance ||
    (question.whole && high - low <= 1);
  if (!near && spent + reserve < question.budget) {
    const cut = fit(crossing(question, low, high, excess));
    // Where the crossing is a load that was looked at, the edge is not known yet: the next one to it is.
    const between = loads.includes(cut) ? fit(question.whole ? low + 1 : Math.sqrt(low * high)) : cut;
    if (!loads.includes(between)) return { kind: 'measure', load: between, fresh: false };
  }
  return confirmStep(question, probes, low, fit, { unbroken: high === null, near });
}

function confirmStep(
  question: FindQuestion,
  probes: readonly Probe[],
  low: number,
  fit: (load: number) => number,
  { unbroken, near }: { unbroken: boolean; near: boolean },
): FindStep {
  const tried = [...new Set(probes.filter(({ fresh }) => fresh).map(({ load }) => load))].toSorted((a, b) => a - b);
  const lowest = tried[0];
  const load = lowest === undefined || lowest > low ? low : lowest;
  const fresh = probes.filter((probe) => probe.fresh && probe.load === load);
  const end = fit(question.most);
  const found = (confirmed: boolean): Found => ({
    kind: 'found',
    load,
    confirmed,
    broken: null,
    atMost: unbroken && load >= end,
    outOfRuns: unbroken ? low < end : !near && probes.length + 1 >= question.budget,
  });
  const bounded = fresh.length >= question.confirmRuns && question.slos.every((slo) => boundKept(slo, fresh, probes));
  if (bounded) return found(true);
  const out = probes.length >= question.budget;
  if (fresh.length < question.confirmRuns && !out) return { kind: 'measure', load, fresh: true };
  if (out) return found(false);
  const backOff = question.backOff ?? usualBackOff;
  const less = fit(question.whole ? Math.min(load - 1, load * (1 - backOff)) : load * (1 - backOff));
  if (less >= load || less < question.least) return found(false);
  return { kind: 'measure', load: less, fresh: true };
}

/** How far the worst figure is beyond its limit, as a logarithm; a load that could not be measured counts as far beyond. */
function excessAt({ slos }: FindQuestion, probes: readonly Probe[], load: number): number {
  const here = probes.filter((probe) => probe.load === load);
  return Math.max(...slos.map((slo) => excessOf(slo, here)));
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

/** Where the excess crosses zero between two loads, kept away from both ends so that every look cuts the bracket. */
function crossing(_: FindQuestion, low: number, high: number, excess: ReadonlyMap<number, number>): number {
  const [below, above] = [excess.get(low)!, excess.get(high)!];
  const part = Math.min(0.85, Math.max(0.15, -below / (above - below)));
  return low * (high / low) ** part;
}

/** Whether the 90 % bound of fresh runs keeps an SLO. */
function boundKept(slo: Slo, fresh: readonly Probe[], probes: readonly Probe[]): boolean {
  const word = sloWord(slo);
  const margin = word === 'failed' ? 0 : allowanceOf(word, probes.map(asTrial), fresh.length);
  return excessOf(slo, fresh) + margin <= 0 || (word === 'failed' && excessOf(slo, fresh) <= 0);
}

function asTrial({ load, figures }: Probe): Trial {
  return {
    number: 0,
    phase: 'confirm',
    variant: null,
    settings: { load },
    load: { concurrency: null, ratePerSec: null },
    seed: 0,
    outcome: 'ok',
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
