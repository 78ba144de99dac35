import { measuredRun, predictRun } from '../../advice/fit/index.ts';
import type { RunPrediction } from '../../advice/fit/index.ts';
import type { Exchange, Phrase, RunPlan, Summary } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';

/** The first requests of a run say how far its figures may be off. */
const mostPlayed = 1000;

/** A figure of a summary, and what a prediction calls it. */
const figures = {
  outputTokensPerSec: { of: ({ outputTokensPerSec }) => outputTokensPerSec, key: 'outputTokensPerSec' },
  ttftMeanMs: { of: ({ ttftMs }) => ttftMs?.mean, key: 'ttftMs.mean' },
  ttftP99Ms: { of: ({ ttftMs }) => ttftMs?.p99, key: 'ttftMs.p99' },
  tpotMeanMs: { of: ({ tpotMs }) => tpotMs?.mean, key: 'tpotMs.mean' },
  latencyP50Ms: { of: ({ latencyMs }) => latencyMs?.p50, key: 'latencyMs.p50' },
} satisfies Partial<
  Record<keyof RunPrediction['figures'], { of(summary: Predicted): number | null | undefined; key: string }>
>;

type Predicted = Pick<Summary, 'outputTokensPerSec' | 'ttftMs' | 'tpotMs' | 'latencyMs'>;

/** Where 90 % of measurements of a simulated run should lie, as its summary keeps it. */
export interface KeptPrediction {
  /** By the name of the figure in the summary; null = it depends on a constant that the fit does not know. */
  intervals: Record<string, [number, number] | null>;
  warnings: Phrase[];
}

/** Hears the requests of a simulated run and says how far a profile that was fitted to runs may be off; null = the profile does not tell. */
export class PredictionWatch {
  readonly #heard: Exchange[] = [];

  constructor(
    private readonly profile: EngineProfile,
    private readonly plan: RunPlan,
  ) {}

  saw(exchange: Exchange): void {
    if (this.profile.fit?.doubt !== undefined && exchange.seq < mostPlayed) this.#heard.push(exchange);
  }

  read(summary: Predicted): KeptPrediction | null {
    const { profile, plan } = this;
    const { reach, doubt } = profile.fit ?? {};
    if (reach === undefined || doubt === undefined) return null;
    const run = measuredRun('simulated', plan.load, this.#heard, null);
    if (run === null) return null;
    const prediction = predictRun({ profile, reach, doubt }, run);
    const intervals = Object.entries(figures).flatMap(([name, { of, key }]) => {
      const own = of(summary) ?? null;
      const figure = prediction.figures[name as keyof typeof figures];
      if (own === null) return [];
      // The interval's ratio comes from the first requests and is applied to the figure of all.
      const ends = figure?.interval.map((end) => (own * end) / figure.value);
      return [[key, ends?.every(Number.isFinite) === true ? (ends as [number, number]) : null] as const];
    });
    return { intervals: Object.fromEntries(intervals), warnings: prediction.warnings };
  }
}
