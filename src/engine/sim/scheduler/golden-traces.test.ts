import { describe, expect, it } from 'vitest';
import {
  goldenProfile as profileOf,
  goldenRequest as request,
  goldenStory as story,
} from '../../../../test/golden-story.ts';
import { EngineCore } from '../index.ts';

describe('vllm-v1', () => {
  it('cuts a long prompt to what the budget leaves, and the running one decodes beside it', () => {
    const profile = profileOf('vllm-v1', { max_num_batched_tokens: 50 });
    expect(story(profile, [request(1, 20, 3), request(2, 70, 2, 1)])).toEqual([
      // Alone: 10 + 0.1·20.
      '0.0–12.0 prefill 20, tokens of 1',
      // Request 1 decodes (1 of the budget of 50), 49 tokens of request 2 are prefilled: 10 + 1 + 4.9.
      '12.0–27.9 prefill 49, tokens of 1',
      // The last decode of 1, the other 21 tokens of 2, whose first token this step makes: 10 + 1 + 2.1.
      '27.9–41.0 prefill 21, tokens of 1! 2',
      '41.0–52.0 prefill 0, tokens of 2!',
    ]);
  });

  it('preempts the youngest when blocks lack, admits nobody in that step, and recomputes it from the front', () => {
    // Four blocks of 4 tokens. Each request comes to 4 + 8 − 1 = 11 tokens, 3 blocks: two do not fit to the end.
    const profile = profileOf('vllm-v1', {}, { blocks: 4, blockSize: 4 });
    expect(story(profile, [request(1, 4, 8), request(2, 4, 8)])).toEqual([
      '0.0–10.8 prefill 8, tokens of 1 2',
      // Tokens 5 to 8 of both: a second block each, all four are taken.
      '10.8–22.8 prefill 0, tokens of 1 2',
      '22.8–34.8 prefill 0, tokens of 1 2',
      '34.8–46.8 prefill 0, tokens of 1 2',
      '46.8–58.8 prefill 0, tokens of 1 2',
      // Token 9 of request 1 needs a third block: request 2 goes, with five tokens made.
      '58.8–69.8 prefill 0, tokens of 1',
      // Its 4 + 5 tokens need three blocks, one is free: it waits.
      '69.8–80.8 prefill 0, tokens of 1',
      '80.8–91.8 prefill 0, tokens of 1!',
      // All 9 tokens again, which makes its sixth.
      '91.8–102.7 prefill 9, tokens of 2',
      '102.7–113.7 prefill 0, tokens of 2',
      '113.7–124.7 prefill 0, tokens of 2!',
    ]);
  });
});

describe('vllm-v0', () => {
  it('prefills in steps of their own, before anybody decodes on', () => {
    expect(story(profileOf('vllm-v0', {}), [request(1, 20, 3), request(2, 30, 2, 1)])).toEqual([
      '0.0–12.0 prefill 20, tokens of 1',
      '12.0–25.0 prefill 30, tokens of 2',
      '25.0–37.0 prefill 0, tokens of 1 2!',
      '37.0–48.0 prefill 0, tokens of 1!',
    ]);
  });
});

describe('mindie', () => {
  const settings = { maxQueueDelayMicroseconds: 5000, maxBatchSize: 4 };
  it('gives an idle queue 5 ms to fill, then prefills what came, maxPrefillBatchSize at a time', () => {
    const requests = [request(1, 10, 2), request(2, 10, 2, 2), request(3, 10, 2, 4)];
    expect(story(profileOf('mindie', { ...settings, maxPrefillBatchSize: 4 }), requests)).toEqual([
      // It looks again whenever somebody comes.
      '0.0–2.0 rest',
      '2.0–4.0 rest',
      '4.0–5.0 rest',
      '5.0–18.0 prefill 30, tokens of 1 2 3',
      '18.0–31.0 prefill 0, tokens of 1! 2! 3!',
    ]);
  });

  it('by the waste rule lets the running ones decode until waste outweighs the cost of stopping them', () => {
    // B = 4, P = 150, D = 50, one runs: cost 150, waste 150 a round, so the first round with somebody waiting prefills.
    // With three running: cost 450, waste 50 a round, so eight decode rounds pass before the ninth prefills.
    const rounds = (running: number): number => {
      const early = Array.from({ length: running }, (_, i) => request(i, 1, 30));
      const lines = story(profileOf('mindie', { ...settings, supportSelectBatch: true }), [
        ...early,
        request(9, 1, 1, 6),
      ]);
      return lines.findIndex((line) => line.endsWith('tokens of 9!')) - 2;
    };
    expect(rounds(1)).toBe(0);
    expect(rounds(3)).toBe(8);
  });

  it('on the MindSpore backend decodes maxPrefillBatchSize sequences to their end while the others wait with their first token', () => {
    const profile = profileOf('mindie', { ...settings, maxPrefillBatchSize: 1, backendType: 'ms' });
    expect(story(profile, [request(1, 10, 3), request(2, 10, 3)])).toEqual([
      '0.0–11.0 prefill 10, tokens of 1',
      '11.0–22.0 prefill 10, tokens of 2',
      '22.0–33.0 prefill 0, tokens of 1',
      '33.0–44.0 prefill 0, tokens of 1!',
      '44.0–55.0 prefill 0, tokens of 2',
      '55.0–66.0 prefill 0, tokens of 2!',
    ]);
  });
});

describe('sglang', () => {
  it('lets a train of extend steps pass before anybody decodes', () => {
    const requests = [request(1, 20, 2), request(2, 90, 2, 1)];
    expect(story(profileOf('sglang', { chunked_prefill_size: 40 }), requests)).toEqual([
      '0.0–12.0 prefill 20, tokens of 1',
      '12.0–26.0 prefill 40, tokens of nobody',
      '26.0–40.0 prefill 40, tokens of nobody',
      '40.0–51.0 prefill 10, tokens of 2',
      '51.0–63.0 prefill 0, tokens of 1! 2!',
    ]);
  });
});

describe('static', () => {
  it('takes the next batch only when the last of this one is done', () => {
    const requests = [request(1, 10, 1), request(2, 10, 3), request(3, 10, 1, 1)];
    expect(story(profileOf('static', { maxBatchSize: 2 }), requests)).toEqual([
      '0.0–12.0 prefill 20, tokens of 1! 2',
      '12.0–23.0 prefill 0, tokens of 2',
      '23.0–34.0 prefill 0, tokens of 2!',
      '34.0–45.0 prefill 10, tokens of 3!',
    ]);
  });
});

describe('an engine that serves one at a time, at a fixed time', () => {
  // One token per request, so a service is one prefill step of 10 + 0.1·100 = 20 ms; Poisson arrivals at ρ = 0.6 give a
  // mean wait of 0.6·20/(2·0.4) = 15 ms. 40,000 waits; the standard errors, correlation included, are about 0.1, 0.25 and 1.6 ms.
  it.each([
    [0.3, 0.3 * (20 / 1.4), 0.4],
    [0.6, 15, 1],
    [0.8, 40, 6],
  ])('queues like M/D/1 at ρ = %d: the mean wait is ρ·s / 2(1 − ρ)', (load, expectedMs, toleranceMs) => {
    const profile = profileOf('vllm-v0', { max_num_seqs: 1 });
    const core = new EngineCore({ profile, seed: 1, keepTimes: false });
    let state = 12345;
    const uniform = (): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state + 0.5) / 2 ** 32;
    };
    let arrivalMs = 0;
    const count = 40_000;
    const arrivals = Array.from({ length: count }, () => (arrivalMs += (-20 / load) * Math.log(uniform())));
    let waitedMs = 0;
    let next = 0;
    while (next < count || core.step !== null) {
      const nextMs = arrivals[next] ?? Infinity;
      const finishes = core.step === null ? [] : core.advance(nextMs);
      for (const { id, endMs } of finishes) waitedMs += endMs - arrivals[id]! - 20;
      if (finishes.length > 0 || next === count) continue;
      core.submit({ id: next, inputTokens: 100, outputTokens: 1, arrivalMs: nextMs });
      next++;
      if (core.step === null) core.beginStep(nextMs);
    }
    expect(Math.abs(waitedMs / count - expectedMs)).toBeLessThan(toleranceMs);
  });
});
