import type { Phrase } from '../../core/index.ts';
import { EngineCore } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { closedRun } from './closed-run.ts';
import type { ProbeFit } from './fit-probes.ts';
import type { TraceFit } from './fit-trace.ts';
import type { TracedRequest } from './request-trace.ts';

/** The measurement that would teach a fit the most: a closed loop, with lengths where they matter. */
export interface NextMeasurement {
  concurrency: number;
  inputTokens?: number;
  outputTokens?: number;
  why: Phrase;
}

/** Engines that explain a trace about equally well, whose predictions are compared. */
const engines = 16;
/** Waves of each simulated run. */
const waves = 3;

/** For a trace: the concurrency at which the engines that would also have made it differ the most in throughput. */
export function nextForTrace(fit: TraceFit, requests: readonly TracedRequest[], batchSize: number): NextMeasurement {
  const sampled = fit.sample(engines, 2);
  const core = new EngineCore({ profile: fit.profile, seed: 1 });
  const served = requests.filter(({ promptTokens, outputTokens }) => core.fits(promptTokens, outputTokens));
  const widths = concurrenciesUpTo(batchSize).map((concurrency) => {
    const load = loadOf(served, concurrency);
    const logs = sampled.map((profile) => Math.log(closedRun(quiet(profile), load).outputTokensPerSec));
    return { concurrency, spread: deviation(logs) };
  });
  const widest = widths.reduce((first, next) => (next.spread > first.spread ? next : first));
  const percent = (164.5 * widest.spread).toFixed(1);
  return {
    concurrency: widest.concurrency,
    why: {
      en: `engines that explain the trace equally well differ the most there: ±${percent} % in throughput`,
      zh: `同样能解释该记录的引擎在此处吞吐差异最大：±${percent} %`,
    },
  };
}

/** 1, 2, 4 … up to the batch size, which is the last. */
function concurrenciesUpTo(batchSize: number): number[] {
  const found: number[] = [];
  for (let concurrency = 1; concurrency < batchSize; concurrency *= 2) found.push(concurrency);
  return [...found, batchSize];
}

function loadOf(requests: readonly TracedRequest[], concurrency: number): Parameters<typeof closedRun>[1] {
  const picked = Array.from({ length: waves * concurrency }, (_, i) => requests[i % requests.length]!);
  return {
    concurrency,
    inputTokens: picked.map((request) => request.promptTokens),
    outputTokens: picked.map((request) => request.outputTokens),
  };
}

/** Without jitter, so that only what differs between the engines counts. */
function quiet(profile: EngineProfile): EngineProfile {
  return { ...profile, jitter: { stepSigma: 0 } };
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1));
}

/** A prompt of this many tokens, and an answer, as users have them: what an interval is worth is judged there. */
const usual = { inputTokens: 1024, outputTokens: 256 };

/**
 * For probes: where the server's limit was not reached, a load beyond them; else the probe that pins down the parameter whose
 * interval moves a full batch's time per token the most.
 */
export function nextForProbes({ intervals }: ProbeFit, batchSize: number, limitKnown: boolean): NextMeasurement {
  if (!limitKnown) {
    return {
      concurrency: 2 * batchSize,
      why: {
        en: `no probe went beyond ${batchSize} in flight: where the server's batch ends is not known`,
        zh: `探测并发未超过 ${batchSize}：服务器的批大小上限未知`,
      },
    };
  }
  const context = usual.inputTokens + usual.outputTokens / 2;
  const levers: { name: string; lever: number; probe: Omit<NextMeasurement, 'why'> }[] = [
    { name: 'aMs', lever: 1, probe: { concurrency: 1, inputTokens: 64, outputTokens: 1024 } },
    { name: 'cMsPerDecode', lever: batchSize, probe: { concurrency: batchSize, inputTokens: 64, outputTokens: 256 } },
    {
      name: 'kMsPer1000KvTokens',
      lever: (batchSize * context) / 1000,
      probe: { concurrency: batchSize, inputTokens: 2048, outputTokens: 256 },
    },
    {
      // Every token of an answer stands for this many prompt tokens of the whole batch.
      name: 'p1MsPerPrefillToken',
      lever: (batchSize * usual.inputTokens) / usual.outputTokens,
      probe: { concurrency: 1, inputTokens: 2048, outputTokens: 8 },
    },
  ];
  const ranked = levers.map(({ name, lever, probe }) => {
    const [low, high] = intervals[name] ?? [0, 0];
    return { name, probe, doubtMs: (lever * (high - low)) / 2 };
  });
  const { name, probe, doubtMs } = ranked.reduce((first, next) => (next.doubtMs > first.doubtMs ? next : first));
  return {
    ...probe,
    why: {
      en: `${name} is the least certain: ±${doubtMs.toFixed(2)} ms per token of a full batch of ${batchSize}`,
      zh: `${name} 最不确定：满批 ${batchSize} 时每 token ±${doubtMs.toFixed(2)} ms`,
    },
  };
}
