import { userError, quotedFigures } from '../../core/index.ts';
import { parseSlo } from '../../results/measure/index.ts';
import { figuresOf, findMax, trialSize } from '../../advice/tune/index.ts';
import type { Found, Probe } from '../../advice/tune/index.ts';
import type { LabPoint, MeasuredPoint } from '../measure-point.ts';
import type { PointSource } from '../point-loop.ts';
import type { LoadPoint, PlanSettings } from '../prepare/assemble-plan.ts';
import { planPoint } from '../prepare/prepare.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import type { RunnerSource } from '../runners/runner-source.ts';

/** A search for the largest load under SLOs: asks for points until it has found it. */
export interface LoadSearch extends PointSource<LabPoint, MeasuredPoint> {
  /** null = it has not ended. */
  found(): Found | null;
  /** Every load that was looked at, in order. */
  looks(): readonly Probe[];
  /** Whether the point of that number was measured at the load that was found. */
  isAnswer(number: number): boolean;
}

/** The most looks where --find-runs does not say, and the fewest requests of each where -n does not. */
export interface SearchSize {
  runs: number;
  requests: number | null;
  /** Where to look first, how far to jump, and how near is near enough; absent = carefully, from the least load. */
  steps?: Record<'concurrency' | 'rate', { first: number; growth: number; tolerance: number }>;
}

/** Virtual time is cheap: enough looks to close in, long enough for their tails. */
export const searchSizes = {
  server: {
    runs: 16,
    requests: null,
    steps: {
      concurrency: { first: 16, growth: 4, tolerance: 0.08 },
      rate: { first: 1, growth: 4, tolerance: 0.08 },
    },
  },
  simulated: { runs: 60, requests: 1000 },
} as const satisfies Record<string, SearchSize>;

const defaults = { tolerance: 0.04 } as const;
const limits = { concurrency: { least: 1, most: 100_000 }, rate: { least: 0.01, most: 1e6 } } as const;
const objective = { word: 'outputTokensPerSec', direction: 'most', pricePerHour: null } as const;

/** Begins a search over concurrency, or over the rate where one is given. */
export async function loadSearch(settings: ServerWords, runners: RunnerSource, size: SearchSize): Promise<LoadSearch> {
  const slos = (settings.slo ?? []).map(parseSlo);
  if (slos.length === 0)
    throw userError(
      'no-slo',
      'the largest load under what? there is no SLO',
      '没有 SLO，无法确定最大负载',
      "Add for example --slo 'ttft.p99<2s'.",
      "请添加，例如 --slo 'ttft.p99<2s'。",
      '--find',
    );
  const variable = settings.rate === undefined ? 'concurrency' : 'rate';
  const [least, most] = rangeOf(settings, variable);
  const question = {
    slos,
    least,
    most,
    whole: variable === 'concurrency',
    budget: size.runs,
    ...defaults,
    ...size.steps?.[variable],
  };
  const prepared = await runners.prepare({ ...settings, requests: settings.requests ?? 100 }, 1);
  const probes: Probe[] = [];
  let asked: { load: number; fresh: boolean } | null = null;
  let found: Found | null = null;
  let offset = 0;
  return {
    found: () => found,
    looks: () => probes,
    isAnswer: (number) => found !== null && probes[number]?.load === found.load,
    next(done) {
      if (asked !== null) {
        const { summary } = done.at(-1)!;
        // One that was told to stop as its last request ended is whole, and its figures say what became of it.
        const { ok, failed, planned } = summary.counts;
        const cut = summary.stoppedBecause !== undefined && ok + failed < planned ? { cut: true } : {};
        probes.push({
          ...asked,
          figures: figuresOf(objective, slos, summary),
          times: quotedFigures(summary),
          ...cut,
        });
      }
      const step = findMax(question, probes);
      if (step.kind === 'found') {
        found = step;
        return null;
      }
      asked = { load: step.load, fresh: step.fresh };
      const point: LoadPoint =
        variable === 'rate'
          ? { concurrency: settings.concurrency?.at(-1) ?? null, ratePerSec: step.load }
          : { concurrency: step.load, ratePerSec: null };
      const { requests } = trialSize(point, probes, settings.requests ?? size.requests);
      // The prompts stay those of the dataset as it was opened; only the order of arrivals has a seed of its own.
      const sized = settings.duration === undefined ? { requests } : {};
      const own = {
        ...prepared,
        settings: { ...prepared.settings, ...sized, seed: (settings.seed ?? 1) + probes.length },
      };
      const whole = planPoint(own, point, offset);
      // A load that surely breaks a promise is not measured to its end.
      const plan = { ...whole, stopWhen: [...(whole.stopWhen ?? []), 'slo-lost'] };
      offset += requests;
      const [en, zh] = step.fresh ? [' (again)', '（复测）'] : ['', ''];
      return {
        prepared: own,
        plan,
        name: { en: `${variable} ${step.load}${en}`, zh: `${variable} ${step.load}${zh}` },
      };
    },
  };
}

/** Two numbers are the range; one is where it begins. */
function rangeOf(settings: PlanSettings, variable: 'concurrency' | 'rate'): [number, number] {
  const given = settings[variable] ?? [];
  const low = Math.min(...given, ...(given.length === 0 ? [limits[variable].least] : []));
  const high = given.length > 1 ? Math.max(...given) : limits[variable].most;
  return [low, high];
}
