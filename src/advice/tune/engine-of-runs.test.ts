// A hidden server with a front, tuned: what its trials' requests tell of settings that nobody tried, beside what their summaries tell.
import { describe, expect, it } from 'vitest';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { playRun } from '../fit/index.ts';
import type { MeasuredRun } from '../fit/index.ts';
import { completeSummary } from './complete-summary.ts';
import { engineOfFigures } from './engine-of-figures.ts';
import { engineOfRuns, requestsOfTrial } from './engine-of-runs.ts';
import { figuresOf, readSlos } from './goal-metrics.ts';
import { nextStep } from './next-step.ts';
import { readTuneFile } from './read-tune-file.ts';
import type { TunePoint } from './setting.ts';
import type { Trial } from './trial.ts';

const [promptTokens, outputTokens] = [600, 40];
const { problem } = readTuneFile(
  `engine: vllm
url: http://127.0.0.1:8000
start: {command: vllm}
space:
  max_num_seqs: [8, 16, 32, 48, 64, 96]
  max_num_batched_tokens: [256, 512, 1024, 2048, 4096]
load: {concurrency: 56}
slo: [ttft.mean<1500ms, tpot.mean<30ms]`,
  'tune.yaml',
  null,
);

function hidden(settings: TunePoint['settings']): EngineProfile {
  return {
    schema: 'llmdyno.engine-profile/1',
    name: 'hidden',
    title: 'hidden',
    model: 'hidden',
    source: 'made up for tests',
    date: '2026',
    cost: { aMs: 7, cMsPerDecode: 0.06, p1MsPerPrefillToken: 0.03, kMsPer1000KvTokens: 0.05 },
    jitter: { stepSigma: 0.02 },
    maxBatchSize: 256,
    maxPrefillTokens: null,
    kv: null,
    overheadMs: 1.5,
    launch: { ms: 17, graphTokens: 512, graphMs: 8 },
    front: { tokenizeMsPerToken: 0.008, promptMsPerToken: 0.002, requestMs: 0.4, stepMs: 0.3, tokenMs: 0.05 },
    scheduler: {
      name: 'vllm-v1',
      settings: { async_scheduling: true, ...settings } as Record<string, number | boolean>,
    },
    notes: [],
  };
}

/** A trial as a client would have measured it, its answers of unlike lengths. */
function tried(number: number, { settings, load }: TunePoint): { trial: Trial; run: MeasuredRun } {
  const concurrency = load.concurrency!;
  const requests = Array.from({ length: Math.max(60, 6 * concurrency) }, (_, i) => ({
    sentMs: 0,
    promptTokens: promptTokens + 40 * ((i * 7) % 11) - 200,
    cachedTokens: 0,
    outputTokens: outputTokens + 4 * ((i * 5) % 9) - 16,
  }));
  const run = playRun(hidden(settings), { concurrency, requests, warmup: [] }, { seed: number });
  const lastSentMs = run.requests.at(-1)!.sentMs;
  const ended = run.requests.map((one) => one.sentMs + one.latencyMs).toSorted((a, b) => a - b);
  const steady = run.requests.filter(({ sentMs, latencyMs }) => {
    const endMs = sentMs + latencyMs;
    return endMs > ended[concurrency - 1]! && endMs <= lastSentMs;
  });
  const mean = (of: (one: (typeof steady)[number]) => number): number =>
    steady.reduce((sum, one) => sum + of(one), 0) / steady.length;
  const spanMs = lastSentMs - ended[concurrency - 1]!;
  const printed = {
    outputTokensPerSec: (1000 * steady.length * mean((one) => one.outputTokens)) / spanMs,
    requestsPerSec: (1000 * steady.length) / spanMs,
    ttftMs: mean((one) => one.ttftMs),
    tpotMs: mean((one) => (one.latencyMs - one.ttftMs) / (one.outputTokens - 1)),
    inputTokens: promptTokens,
    outputTokens,
    counts: { planned: requests.length, ok: requests.length },
  };
  const summary = completeSummary(printed, load, `${number}`)!;
  const trial: Trial = {
    number,
    phase: 'search',
    variant: null,
    settings,
    load,
    seed: number,
    outcome: 'ok',
    cause: null,
    figures: figuresOf(problem.objective, problem.slos, summary),
    predicted: null,
    summary,
    runId: `run-${number}`,
    restarted: true,
    startedAt: null,
    durationMs: null,
  };
  return { trial, run };
}

const at = (seqs: number, tokens: number, concurrency = 56): TunePoint => ({
  settings: { max_num_seqs: seqs, max_num_batched_tokens: tokens },
  load: { concurrency, ratePerSec: null },
});
const seen = [at(48, 1024), at(96, 4096), at(96, 4096, 14)].map((point, i) => tried(i + 1, point));
const trials = seen.map(({ trial }) => trial);
const runs = seen.map(({ trial, run }) => requestsOfTrial(trial.number, run));
const words = ['outputTokensPerSec', 'tpot.mean', 'ttft.mean'] as const;
const untried = [at(16, 512), at(32, 2048), at(96, 256), at(64, 512)].map((point, i) => tried(i + 11, point).trial);

describe('the engine behind three trials', () => {
  const ofRuns = engineOfRuns(problem, problem.family!, trials, runs)!;
  const lengths = { inputTokens: promptTokens, outputTokens, outputSpread: 0.4 };
  const ofFigures = engineOfFigures(problem.family!, trials, lengths, null)!;
  const miss = (model: typeof ofRuns): number[] =>
    untried.flatMap((trial) => words.map((word) => Math.abs(model.predict(trial)![word]! / trial.figures[word]! - 1)));

  it('is known from their requests well enough to say what four other settings do', () => {
    expect(Math.max(...miss(ofRuns))).toBeLessThan(0.05);
    expect(ofRuns.misfit).toBeLessThan(0.03);
  });

  it('is known from their summaries half as well', () => {
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(miss(ofFigures))).toBeGreaterThan(2 * mean(miss(ofRuns)));
  });

  it('needs two trials that kept their requests', () => {
    expect(engineOfRuns(problem, problem.family!, trials, runs.slice(0, 1))).toBeNull();
    const failed = trials.map((trial): Trial => ({ ...trial, outcome: 'crashed' }));
    expect(engineOfRuns(problem, problem.family!, failed, runs)).toBeNull();
  });

  it('is not thought to have a cache that could not have held what it answered', () => {
    const kv = { blocks: 10, blockSize: 16, memory: null };
    expect(engineOfRuns({ ...problem, kv }, problem.family!, trials, runs)).toBeNull();
  });
});

describe('a step of the search', () => {
  it('expects of a setting what the requests say', () => {
    const step = nextStep(problem, trials, runs);
    expect(step.kind).toBe('measure');
    if (step.kind !== 'measure') return;
    const { figures } = tried(20, step.point).trial;
    for (const word of words)
      expect(Math.abs(step.predicted!.figures[word]!.middle / figures[word]! - 1), word).toBeLessThan(0.1);
  });

  it('confirms at once what they foresee to keep the limits, which summaries have to try first', () => {
    const { slos } = readSlos(['ttft.mean<1300ms', 'tpot.mean<32ms']);
    const limited = { ...problem, slos };
    const phaseOf = (kept: typeof runs): string => {
      const step = nextStep(limited, trials, kept);
      return step.kind === 'measure' ? step.phase : step.because;
    };
    expect(phaseOf(runs)).toBe('confirm');
    expect(phaseOf([])).toBe('search');
  });
});
