import { describe, expect, it } from 'vitest';
import { goldenProfile, goldenRequest as request, goldenStory as story } from '../../../../test/golden-story.ts';
import type { SchedulerName, SettingValue } from '../index.ts';

const four = { blocks: 4, blockSize: 4 };
const ten = { blocks: 10, blockSize: 4 };
/** Two that come to 11 tokens, three blocks each: four blocks do not hold both to their end. */
const pair = [request(1, 4, 8), request(2, 4, 8)];

function play(
  name: SchedulerName,
  settings: Record<string, SettingValue>,
  requests = pair,
  kv: typeof four | null = null,
): string[] {
  return story(goldenProfile(name, settings, kv), requests);
}

describe('vllm-v1, setting by setting', () => {
  it('long_prefill_token_threshold: no chunk is longer, though the budget would have it', () => {
    const settings = { max_num_batched_tokens: 100, long_prefill_token_threshold: 30 };
    expect(play('vllm-v1', settings, [request(1, 70, 2), request(2, 20, 2)])).toEqual([
      // 30 of request 1 and all of request 2.
      '0.0–15.0 prefill 50, tokens of 2',
      '15.0–29.0 prefill 30, tokens of 2!',
      '29.0–40.0 prefill 10, tokens of 1',
      '40.0–51.0 prefill 0, tokens of 1!',
    ]);
  });

  const crowd = [request(1, 70, 1), request(2, 70, 1), request(3, 10, 1)];
  const cut = { max_num_batched_tokens: 100, long_prefill_token_threshold: 30 };

  it('max_num_partial_prefills 1: the second long prompt waits until the first is whole, and the queue behind it too', () => {
    expect(play('vllm-v1', { ...cut, max_num_partial_prefills: 1 }, crowd)).toEqual([
      '0.0–13.0 prefill 30, tokens of nobody',
      '13.0–26.0 prefill 30, tokens of nobody',
      // The last 10 of request 1, the first 30 of request 2, all of request 3.
      '26.0–41.0 prefill 50, tokens of 1! 3!',
      '41.0–54.0 prefill 30, tokens of nobody',
      '54.0–65.0 prefill 10, tokens of 2!',
    ]);
  });

  it('max_num_partial_prefills 2: both at once', () => {
    expect(play('vllm-v1', { ...cut, max_num_partial_prefills: 2 }, crowd)).toEqual([
      '0.0–17.0 prefill 70, tokens of 3!',
      '17.0–33.0 prefill 60, tokens of nobody',
      '33.0–45.0 prefill 20, tokens of 1! 2!',
    ]);
  });

  it('async_scheduling: who comes while a step runs is let in by the one after the next; who comes to an idle engine at once', () => {
    const requests = [request(1, 10, 4), request(2, 10, 2, 5), request(3, 10, 1, 100)];
    expect(play('vllm-v1', {}, requests)).toEqual([
      '0.0–11.0 prefill 10, tokens of 1',
      '11.0–23.0 prefill 10, tokens of 1 2',
      '23.0–35.0 prefill 0, tokens of 1 2!',
      '35.0–46.0 prefill 0, tokens of 1!',
      '100.0–111.0 prefill 10, tokens of 3!',
    ]);
    expect(play('vllm-v1', { async_scheduling: true }, requests)).toEqual([
      '0.0–11.0 prefill 10, tokens of 1',
      // Formed while the first ran, before request 2 came.
      '11.0–22.0 prefill 0, tokens of 1',
      '22.0–34.0 prefill 10, tokens of 1 2',
      '34.0–46.0 prefill 0, tokens of 1! 2!',
      '100.0–111.0 prefill 10, tokens of 3!',
    ]);
  });

  it('enable_chunked_prefill: what the budget does not hold is cut, or waits', () => {
    const requests = [request(1, 40, 2), request(2, 30, 1)];
    const budget = { max_num_batched_tokens: 50 };
    expect(play('vllm-v1', budget, requests)).toEqual([
      '0.0–15.0 prefill 50, tokens of 1',
      '15.0–28.0 prefill 20, tokens of 1! 2!',
    ]);
    expect(play('vllm-v1', { ...budget, enable_chunked_prefill: false }, requests)).toEqual([
      '0.0–14.0 prefill 40, tokens of 1',
      '14.0–28.0 prefill 30, tokens of 1! 2!',
    ]);
  });

  it('max_num_seqs: the third waits for a place', () => {
    const requests = [request(1, 10, 2), request(2, 10, 2), request(3, 10, 1)];
    expect(play('vllm-v1', { max_num_seqs: 2 }, requests)).toEqual([
      '0.0–12.0 prefill 20, tokens of 1 2',
      '12.0–24.0 prefill 0, tokens of 1! 2!',
      '24.0–35.0 prefill 10, tokens of 3!',
    ]);
  });
});

describe('vllm-v0, setting by setting', () => {
  const requests = [request(1, 16, 3), request(2, 16, 2)];

  it('watermark: 3 of 10 blocks stay free while anything runs, so that the second prompt (4 of 6) waits', () => {
    expect(play('vllm-v0', { watermark: 0.3 }, requests, ten)).toEqual([
      '0.0–11.6 prefill 16, tokens of 1',
      '11.6–22.6 prefill 0, tokens of 1',
      '22.6–33.6 prefill 0, tokens of 1!',
      '33.6–45.2 prefill 16, tokens of 2',
      '45.2–56.2 prefill 0, tokens of 2!',
    ]);
  });

  it('watermark: with 2 of 10 both are admitted together', () => {
    expect(play('vllm-v0', { watermark: 0.2 }, requests, ten)).toEqual([
      '0.0–13.2 prefill 32, tokens of 1 2',
      '13.2–25.2 prefill 0, tokens of 1 2!',
      '25.2–36.2 prefill 0, tokens of 1!',
    ]);
  });

  const untilFull = [
    '0.0–10.8 prefill 8, tokens of 1 2',
    '10.8–22.8 prefill 0, tokens of 1 2',
    '22.8–34.8 prefill 0, tokens of 1 2',
    '34.8–46.8 prefill 0, tokens of 1 2',
    '46.8–58.8 prefill 0, tokens of 1 2',
    // A third block each, and none is free: the younger one goes.
    '58.8–69.8 prefill 0, tokens of 1',
    '69.8–80.8 prefill 0, tokens of 1',
    '80.8–91.8 prefill 0, tokens of 1!',
  ];

  it('preemption_mode recompute: all nine tokens again', () => {
    expect(play('vllm-v0', { preemption_mode: 'recompute', watermark: 0 }, pair, four)).toEqual([
      ...untilFull,
      '91.8–102.7 prefill 9, tokens of 2',
      '102.7–113.7 prefill 0, tokens of 2',
      '113.7–124.7 prefill 0, tokens of 2!',
    ]);
  });

  it('preemption_mode swap: it comes back with its KV and goes on', () => {
    expect(play('vllm-v0', { preemption_mode: 'swap', num_cpu_blocks: 2, watermark: 0 }, pair, four)).toEqual([
      ...untilFull,
      '91.8–102.8 prefill 0, tokens of 2',
      '102.8–113.8 prefill 0, tokens of 2',
      '113.8–124.8 prefill 0, tokens of 2!',
    ]);
  });

  it('preemption_mode swap without the host memory for its two blocks: recompute', () => {
    const settings = { preemption_mode: 'swap', num_cpu_blocks: 1, watermark: 0 };
    expect(play('vllm-v0', settings, pair, four)[8]).toBe('91.8–102.7 prefill 9, tokens of 2');
  });
});

describe('mindie, setting by setting', () => {
  const quick = { maxQueueDelayMicroseconds: 500, maxBatchSize: 4 };
  const patient = { maxQueueDelayMicroseconds: 5000, maxBatchSize: 4 };

  it('maxQueueDelayMicroseconds: the batch closes by count as soon as the third is there', () => {
    const requests = [request(1, 10, 2), request(2, 10, 2, 2), request(3, 10, 2, 4)];
    expect(play('mindie', { ...patient, maxPrefillBatchSize: 3 }, requests)).toEqual([
      '0.0–2.0 rest',
      '2.0–4.0 rest',
      '4.0–17.0 prefill 30, tokens of 1 2 3',
      '17.0–30.0 prefill 0, tokens of 1! 2! 3!',
    ]);
  });

  it('maxPrefillTokens: the batch closes by tokens as soon as 15 wait, and takes what fits', () => {
    const requests = [request(1, 10, 2), request(2, 10, 2, 2)];
    expect(play('mindie', { ...patient, maxPrefillTokens: 15 }, requests)).toEqual([
      '0.0–2.0 rest',
      '2.0–13.0 prefill 10, tokens of 1',
      '13.0–24.0 prefill 10, tokens of 2',
      '24.0–36.0 prefill 0, tokens of 1! 2!',
    ]);
  });

  it('maxPrefillBatchSize 2: three prompts take two prefill steps; 0 is as many as maxBatchSize', () => {
    const requests = [request(1, 10, 2), request(2, 10, 2), request(3, 10, 2)];
    expect(play('mindie', { ...quick, maxPrefillBatchSize: 2 }, requests)).toEqual([
      '0.0–12.0 prefill 20, tokens of 1 2',
      '12.0–23.0 prefill 10, tokens of 3',
      '23.0–36.0 prefill 0, tokens of 1! 2! 3!',
    ]);
    expect(play('mindie', { ...quick, maxPrefillBatchSize: 0 }, requests)[1]).toBe(
      '0.5–13.5 prefill 30, tokens of 1 2 3',
    );
  });

  it('maxBatchSize: nobody is prefilled into a full batch', () => {
    const requests = [request(1, 10, 3), request(2, 10, 1, 1)];
    expect(play('mindie', { ...quick, maxBatchSize: 1 }, requests)).toEqual([
      '0.0–11.0 prefill 10, tokens of 1',
      '11.0–22.0 prefill 0, tokens of 1',
      '22.0–33.0 prefill 0, tokens of 1!',
      '33.0–44.0 prefill 10, tokens of 2!',
    ]);
  });

  const newcomer = [request(1, 10, 5), request(2, 10, 1, 12)];

  it('stageSelectPolicy 0: whoever comes is prefilled first', () => {
    expect(play('mindie', { ...quick, stageSelectPolicy: 0 }, newcomer)).toEqual([
      '0.0–0.5 rest',
      '0.5–11.5 prefill 10, tokens of 1',
      '11.5–22.5 prefill 0, tokens of 1',
      '22.5–33.5 prefill 10, tokens of 2!',
      '33.5–44.5 prefill 0, tokens of 1',
      '44.5–55.5 prefill 0, tokens of 1',
      '55.5–66.5 prefill 0, tokens of 1!',
    ]);
  });

  it('stageSelectPolicy 1 is the waste rule, and supportSelectBatch forces it', () => {
    // One runs, B = 4, P = 150, D = 10: cost 150, waste 30 a round. Rounds 22.5, 33.5, 44.5 decode; then nobody runs and the cost is 0.
    const settings = { ...quick, prefillTimeMsPerReq: 150, decodeTimeMsPerReq: 10 };
    const byPolicy = play('mindie', { ...settings, stageSelectPolicy: 1 }, newcomer);
    expect(byPolicy.slice(2)).toEqual([
      '11.5–22.5 prefill 0, tokens of 1',
      '22.5–33.5 prefill 0, tokens of 1',
      '33.5–44.5 prefill 0, tokens of 1',
      '44.5–55.5 prefill 0, tokens of 1!',
      '55.5–66.5 prefill 10, tokens of 2!',
    ]);
    expect(play('mindie', { ...settings, supportSelectBatch: true, stageSelectPolicy: 0 }, newcomer)).toEqual(byPolicy);
  });

  it.each([
    [150, 50, 200, { 10: 1, 50: 1, 100: 3, 150: 9, 180: 27, 190: 57 }],
    [600, 50, 200, { 10: 1, 50: 4, 100: 12, 150: 36, 180: 108, 190: 228 }],
  ])(
    'the waste rule with P %d, D %d, B %d prefills on the round that the published table says',
    (prefillTimeMsPerReq, decodeTimeMsPerReq, maxBatchSize, rounds) => {
      for (const [running, round] of Object.entries(rounds)) {
        const early = Array.from({ length: Number(running) }, (_, id) => request(id, 1, 400));
        const settings = { prefillTimeMsPerReq, decodeTimeMsPerReq, maxBatchSize, maxPrefillBatchSize: maxBatchSize };
        const lines = play('mindie', { ...quick, ...settings, maxPrefillTokens: 1000, stageSelectPolicy: 1 }, [
          ...early,
          request(999, 1, 1, 1),
        ]);
        // Line 0 is a rest, line 1 prefills the early ones; the newcomer comes during it, and round 1 follows.
        expect(lines.findIndex((line) => line.endsWith('tokens of 999!')) - 1).toBe(round);
      }
    },
  );

  it('stageSelectPolicy 2: the stage with the smaller share of its time left', () => {
    // At 22.5 request 2 has waited 10.5. A prefill took 11, a decode 11: (40 − 10.5 − 11)/40 = 0.46 is below (50 − 11)/50 = 0.78.
    const hurried = play('mindie', { ...quick, stageSelectPolicy: 2, prefillExpectedTime: 40 }, newcomer);
    expect(hurried.slice(2, 4)).toEqual(['11.5–22.5 prefill 0, tokens of 1', '22.5–33.5 prefill 10, tokens of 2!']);
    // With 1500 it is (1500 − 10.5 − 11)/1500 = 0.99, and 0.96 when request 1 ends: decode goes first.
    const relaxed = play('mindie', { ...quick, stageSelectPolicy: 2, prefillExpectedTime: 1500 }, newcomer);
    expect(relaxed.slice(2)).toEqual([
      '11.5–22.5 prefill 0, tokens of 1',
      '22.5–33.5 prefill 0, tokens of 1',
      '33.5–44.5 prefill 0, tokens of 1',
      '44.5–55.5 prefill 0, tokens of 1!',
      '55.5–66.5 prefill 10, tokens of 2!',
    ]);
    // A decode that takes all of its 11 ms has nothing left: 0 is below 0.46.
    const strict = { ...quick, stageSelectPolicy: 2, prefillExpectedTime: 40, decodeExpectedTime: 11 };
    expect(play('mindie', strict, newcomer)[3]).toBe('22.5–33.5 prefill 0, tokens of 1');
  });

  const tight = { ...quick, maxPrefillBatchSize: 2 };
  const swaps = (settings: Record<string, SettingValue>): string =>
    play('mindie', { ...tight, ...settings }, pair, four)[8]!;

  it('maxPreemptCount with cpuBlocks: the youngest goes to host memory and comes back with its KV', () => {
    expect(swaps({ maxPreemptCount: 1, cpuBlocks: 4 })).toBe('91.8–102.8 prefill 0, tokens of 2');
  });

  it('maxPreemptCount 0, or host memory filled beyond recomputeThreshold: recompute', () => {
    expect(swaps({ maxPreemptCount: 0, cpuBlocks: 4 })).toBe('91.8–102.7 prefill 9, tokens of 2');
    // Two blocks are more than half of three, not more than seven tenths.
    expect(swaps({ maxPreemptCount: 1, cpuBlocks: 3 })).toBe('91.8–102.7 prefill 9, tokens of 2');
    expect(swaps({ maxPreemptCount: 1, cpuBlocks: 3, recomputeThreshold: 0.7 })).toBe(
      '91.8–102.8 prefill 0, tokens of 2',
    );
  });
});

describe('sglang, setting by setting', () => {
  const requests = [request(1, 16, 3), request(2, 16, 2)];

  it('new_token_ratio: 3 of 10 blocks are kept for answers while anything runs', () => {
    expect(play('sglang', { new_token_ratio: 0.3 }, requests, ten).slice(0, 2)).toEqual([
      '0.0–11.6 prefill 16, tokens of 1',
      '11.6–22.6 prefill 0, tokens of 1',
    ]);
    expect(play('sglang', { new_token_ratio: 0.2 }, requests, ten)[0]).toBe('0.0–13.2 prefill 32, tokens of 1 2');
  });

  it('max_prefill_tokens ends an extend step, max_running_requests the train', () => {
    const three = [request(1, 10, 2), request(2, 10, 2), request(3, 10, 2)];
    expect(play('sglang', { max_prefill_tokens: 20, chunked_prefill_size: -1 }, three)).toEqual([
      '0.0–12.0 prefill 20, tokens of 1 2',
      '12.0–23.0 prefill 10, tokens of 3',
      '23.0–36.0 prefill 0, tokens of 1! 2! 3!',
    ]);
    expect(play('sglang', { max_running_requests: 2 }, three)).toEqual([
      '0.0–12.0 prefill 20, tokens of 1 2',
      '12.0–24.0 prefill 0, tokens of 1! 2!',
      '24.0–35.0 prefill 10, tokens of 3',
      '35.0–46.0 prefill 0, tokens of 3!',
    ]);
  });
});
