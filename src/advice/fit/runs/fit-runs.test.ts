// A server with hidden constants, seen through a few small runs: what they tell is found, and what they do not is said.
import { describe, expect, it } from 'vitest';
import type { EngineProfile } from '../../../engine/sim/index.ts';
import { fitRuns } from './fit-runs.ts';
import type { MeasuredRun } from './measured-run.ts';
import { waitsInFront, withEngine } from './misfit.ts';
import { playRun } from './play-run.ts';
import { predictRun } from './predict-run.ts';
import { figuresOf } from './run-figures.ts';

const settings = { max_num_seqs: 64, max_num_batched_tokens: 2048, async_scheduling: true };
const hidden: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'hidden',
  title: 'hidden',
  model: 'hidden',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 7, cMsPerDecode: 0.02, p1MsPerPrefillToken: 0.03, kMsPer1000KvTokens: 0.05 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 64,
  maxPrefillTokens: null,
  kv: null,
  overheadMs: 1.5,
  launch: { ms: 17, graphTokens: 512, graphMs: 8 },
  front: { tokenizeMsPerToken: 0.008, promptMsPerToken: 0.002, requestMs: 0.4, stepMs: 0.3, tokenMs: 0.05 },
  scheduler: { name: 'vllm-v1', settings },
  notes: [],
};

const load = (concurrency: number, count: number, promptTokens: number, outputTokens: number) => ({
  concurrency,
  warmup: [],
  requests: Array.from({ length: count }, () => ({ sentMs: 0, promptTokens, cachedTokens: 0, outputTokens })),
});
const seen = (...loads: ReturnType<typeof load>[]): MeasuredRun[] => loads.map((asked) => playRun(hidden, asked));
const options = { scheduler: 'vllm-v1', settings, kv: null } as const;

describe('a server fitted to runs of several lengths', () => {
  const fit = fitRuns(seen(load(1, 6, 400, 24), load(4, 16, 900, 24), load(16, 48, 200, 32)), options);
  const found = new Map(fit.constants.map((constant) => [constant.name, constant]));

  it('has the step, the prefill and the tokeniser that were hidden', () => {
    expect(Math.abs(found.get('a')!.value / 7 - 1)).toBeLessThan(0.06);
    expect(Math.abs(found.get('p1')!.value / 0.03 - 1)).toBeLessThan(0.15);
    expect(Math.abs(found.get('tokenizer')!.value / 0.008 - 1)).toBeLessThan(0.3);
  });

  it('says of a batch that no run filled that its bend is not known', () => {
    expect(found.get('bend')!.known).toBe(false);
    expect(found.get('a')!.known).toBe(true);
  });

  it('predicts another load within its intervals, and says nothing against it', () => {
    const asked = load(12, 36, 500, 28);
    const truth = figuresOf(playRun(hidden, asked));
    const { figures, warnings } = predictRun(fit, asked);
    for (const name of ['outputTokensPerSec', 'tpotMeanMs', 'latencyP50Ms', 'ttftMeanMs'] as const) {
      const { value, interval } = figures[name]!;
      expect(Math.abs(value / truth[name] - 1)).toBeLessThan(0.12);
      expect(truth[name]).toBeGreaterThan(interval[0]);
      expect(truth[name]).toBeLessThan(interval[1]);
    }
    expect(warnings).toEqual([]);
  });

  it.each([
    ['longer prompts', load(4, 8, 4000, 24), 'prompts of 4000 tokens: fitted on 200 to 900'],
    ['longer answers', load(4, 8, 400, 200), 'answers of 200 tokens: fitted on 24 to 32'],
    ['more in flight', load(60, 60, 400, 24), '60 in flight: fitted on up to 16'],
    [
      'other arrivals',
      { ...load(4, 8, 400, 24), concurrency: null },
      'an open loop: fitted on closed ones, where requests seldom come one by one',
    ],
  ])('warns of %s than it was fitted to', (_what, asked, words) => {
    expect(predictRun(fit, asked).warnings.map(({ en }) => en)).toContain(words);
  });
});

describe('a server seen with prompts of one length', () => {
  const fit = fitRuns(seen(load(1, 5, 400, 16), load(8, 24, 400, 16)), options);

  it('has no p1 that is known, and predicts no first token of other prompts', () => {
    expect(fit.constants.find(({ name }) => name === 'p1')!.known).toBe(false);
    const { figures, warnings } = predictRun(fit, load(4, 8, 900, 16));
    expect(figures.ttftMeanMs).toBeNull();
    expect(figures.tpotMeanMs).not.toBeNull();
    expect(warnings.some(({ en }) => en.startsWith('p1 not identified'))).toBe(true);
  });

  it('still predicts those of the same', () => {
    expect(predictRun(fit, load(4, 8, 400, 16)).figures.ttftMeanMs).not.toBeNull();
  });
});

describe('whether a server has a front', () => {
  const headers = (concurrency: number | null, ...headersMs: (number | null)[]) => ({
    concurrency,
    requests: headersMs.map((ms) => ({
      sentMs: 0,
      promptTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
      headersMs: ms,
      ttftMs: 9,
      latencyMs: 9,
      gapsMs: [],
    })),
  });

  it('is read where the fewest ask at once: a crowd waits for each other before any server', () => {
    expect(waitsInFront([headers(1, 0.4, 0.5, 0.6), headers(64, 9, 9, 9, 9, 9, 9, 9)])).toBe(false);
    expect(waitsInFront([headers(64, 0.5, 0.5, 0.5), headers(1, 5, 6, 7)])).toBe(true);
  });

  it('is not known where a client kept no times of headers', () => {
    expect(waitsInFront([headers(1, null, null), headers(null, null)])).toBeNull();
  });
});

describe('a server seen under three settings', () => {
  const started = (own: Record<string, number>): MeasuredRun['engine'] => ({ settings: own, kv: null });
  const askedOf = (engine: MeasuredRun['engine'], asked: ReturnType<typeof load>): MeasuredRun => ({
    ...playRun(withEngine(hidden, engine), asked),
    ...(engine !== undefined && { engine }),
  });
  const three = [
    askedOf(started({ max_num_seqs: 8, max_num_batched_tokens: 2048 }), load(16, 64, 400, 32)),
    askedOf(started({ max_num_seqs: 48, max_num_batched_tokens: 512 }), load(48, 144, 700, 24)),
    askedOf(started({ max_num_seqs: 32, max_num_batched_tokens: 1024 }), load(4, 24, 200, 32)),
  ];
  const fit = fitRuns(three, { scheduler: 'vllm-v1', settings: { async_scheduling: true }, kv: null });

  it('is one server: the step and the prefill that were hidden, whatever it was started with', () => {
    const found = new Map(fit.constants.map((constant) => [constant.name, constant.value]));
    expect(Math.abs(found.get('a')! / 7 - 1)).toBeLessThan(0.08);
    expect(Math.abs(found.get('p1')! / 0.03 - 1)).toBeLessThan(0.15);
    expect(fit.doubt.errors.outputTokensPerSec).toBeLessThan(0.02);
  });

  it('predicts a fourth, which it would miss by much with the settings of another', () => {
    const asked = load(24, 96, 500, 28);
    const fourth = started({ max_num_seqs: 20, max_num_batched_tokens: 768 });
    const truth = figuresOf(playRun(withEngine(hidden, fourth), asked));
    const guess = figuresOf(playRun(withEngine(fit.profile, fourth), asked));
    const other = figuresOf(playRun(withEngine(fit.profile, three[0]!.engine), asked));
    for (const name of ['outputTokensPerSec', 'tpotMeanMs', 'ttftMeanMs', 'latencyP50Ms'] as const)
      expect(Math.abs(guess[name] / truth[name] - 1), name).toBeLessThan(0.06);
    expect(Math.abs(other.outputTokensPerSec / truth.outputTokensPerSec - 1)).toBeGreaterThan(0.3);
  });
});
