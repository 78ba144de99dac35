import { afterEach, describe, expect, it } from 'vitest';
import { call, chat, profile, start, stopAll } from '../../../test/engine-client.ts';

afterEach(stopAll);

/** Names that MindIE's prometheus_metrics.cpp registers (MindIE-LLM 8b4871ad). */
const names = [
  'request_received_total',
  'request_success_total',
  'request_failed_total',
  'failed_request_perc',
  'num_requests_running',
  'num_requests_waiting',
  'num_requests_swapped',
  'avg_prompt_throughput_toks_per_s',
  'avg_generation_throughput_toks_per_s',
  'time_to_first_token_seconds',
  'time_per_output_token_seconds',
  'e2e_request_latency_seconds',
  'request_prompt_tokens',
  'request_generation_tokens',
  'prompt_tokens_total',
  'generation_tokens_total',
  'npu_cache_usage_perc',
  'cpu_cache_usage_perc',
  'npu_prefix_cache_hit_rate',
  'num_preemptions_total',
  'all_radix_match_num',
  'npu_radix_match_hit_num',
];

const page = async (url: string): Promise<string> => (await fetch(url)).text();
const value = (text: string, name: string): number =>
  Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);

describe("MindIE's ports", () => {
  it('the metrics port has every name of the server, and its figures are those of the simulated engine', async () => {
    const engine = await start({ metricsPort: 0 });
    await Promise.all(
      [5, 6, 7].map((max_tokens) => call(engine, '/v1/chat/completions', chat({ max_tokens, stream: true }))),
    );
    const text = await page(`${engine.metricsUrl}/metrics`);
    expect(names.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    expect(text).not.toContain('vllm:');
    expect(value(text, 'request_received_total')).toBe(3);
    expect(value(text, 'request_success_total')).toBe(3);
    expect(value(text, 'failed_request_perc')).toBe(0);
    expect(value(text, 'generation_tokens_total')).toBe(18);
    expect(value(text, 'request_generation_tokens_sum')).toBe(18);
    expect(value(text, 'time_per_output_token_seconds_count')).toBe(4 + 5 + 6);
  });

  it('while an answer is under way it runs and holds blocks, on both pages', async () => {
    const engine = await start({
      metricsPort: 0,
      managementPort: 0,
      profile: { ...profile, cost: { ...profile.cost, aMs: 60_000 } },
    });
    // The step lasts a minute, so what is seen is the engine in mid-step; closing it cuts the call.
    void call(engine, '/v1/chat/completions', chat({ max_tokens: 5, stream: true })).catch(() => {});
    let text = '';
    while (value(text, 'num_requests_running') !== 1) text = await page(`${engine.metricsUrl}/metrics`);
    expect(value(text, 'npu_cache_usage_perc')).toBe(1 / 1000);
    const json = JSON.parse(await page(`${engine.managementUrl}/metrics-json`));
    expect(json).toMatchObject({ TTFT: null, processing_inference_request_num: 1, remain_blocks: 999 });
    const slots = JSON.parse(await page(`${engine.managementUrl}/v2/models/${profile.model}/getSlotCount`));
    expect(slots.total_slots - slots.free_slots).toBe(1);
  });

  it('the management port is ready for the model it serves and knows no other', async () => {
    const engine = await start({ managementPort: 0 });
    expect((await fetch(`${engine.managementUrl}/v2/models/${profile.model}/ready`)).status).toBe(200);
    expect((await fetch(`${engine.managementUrl}/v2/models/other/ready`)).status).toBe(404);
    expect((await fetch(`${engine.managementUrl}/v2/health/ready`)).status).toBe(200);
    const timed = ['', '-5', '-x'].map((end) => fetch(`${engine.managementUrl}/health/timed${end}`));
    expect((await Promise.all(timed)).map(({ status }) => status)).toEqual([200, 200, 404]);
  });

  it('tells the settings of the simulated engine where MindIE tells its own', async () => {
    // 1000 blocks of 128 tokens at 64 KiB a token and card are 7.8 GiB; 320 of the host's are 2.5.
    const scheduler = {
      name: 'mindie' as const,
      settings: { maxPrefillBatchSize: 7, maxPreemptCount: 1, cpuBlocks: 320 },
    };
    const engine = await start({
      profile: { ...profile, scheduler, kv: { blocks: 1000, blockSize: 128 }, kvBytesPerTokenPerCard: 65_536 },
    });
    const { extensions } = JSON.parse(await page(`${engine.url}/v2`));
    expect(extensions).toMatchObject({ max_prefill_batch_size: 7 });
    const config = JSON.parse(await page(`${engine.url}/v2/models/${profile.model}/config`));
    expect(config).toMatchObject({ model_name: profile.model, max_seq_len: 128_000, npu_mem_size: 7, cpu_mem_size: 2 });
    expect((await fetch(`${engine.url}/v2/models/other/config`)).status).toBe(404);
    const told = JSON.parse(await page(`${engine.url}/v1/config`));
    expect(told).toMatchObject({ modelName: profile.model, npuMemSize: 7, cpuMemSize: 2, cacheBlockSize: 128 });
  });
});

describe('times that a stream tells of its tokens are those of the simulated steps', () => {
  // A step takes 30 ms, 2 for the decode and 5 for each of the prompt's tokens; the speed changes none of what is told.
  const paper = {
    ...profile,
    cost: { aMs: 30, cMsPerDecode: 2, p1MsPerPrefillToken: 5, kMsPer1000KvTokens: 0 },
    jitter: { stepSigma: 0 },
  };
  const objects = (text: string): Record<string, number | null>[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as Record<string, number | null>);

  it.each([
    [
      `/v2/models/${profile.model}/generate_stream`,
      { text_input: 'Why?', parameters: { details: true, max_new_tokens: 3 } },
    ],
    ['/infer', { inputs: 'Why?', stream: true, parameters: { max_new_tokens: 3 } }],
  ])('%s', async (path, body) => {
    const engine = await start({ profile: paper, speed: 50 });
    const answer = await fetch(`${engine.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const told = objects(await answer.text()).map(({ prefill_time, decode_time }) => [prefill_time, decode_time]);
    expect(told).toEqual([
      [35, null],
      [null, 32],
      [null, 32],
    ]);
  });
});

it('an idle engine that lets its queue fill begins when the batch is full, not when its patience ends', async () => {
  // A hundred times slower than real: the patience of a second would be 100 s, what is allowed here is 50.
  const settings = { maxPrefillBatchSize: 2, maxQueueDelayMicroseconds: 1_000_000 };
  const quick = { aMs: 0.1, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 };
  const engine = await start({
    profile: { ...profile, cost: quick, scheduler: { name: 'mindie', settings } },
    speed: 0.01,
    metricsPort: 0,
  });
  const ask = async (): Promise<number> => {
    const body = JSON.stringify({ text_input: 'Why?', parameters: { details: true, max_new_tokens: 1 } });
    const answer = await fetch(`${engine.url}/v2/models/${profile.model}/generate_stream`, { method: 'POST', body });
    return Number(/"queue_wait_time":(\d+)/.exec(await answer.text())![1]);
  };
  const first = ask();
  // By the time a page can be had that shows it waiting, the rest has begun.
  while (value(await page(`${engine.metricsUrl}/metrics`), 'num_requests_waiting') !== 1) continue;
  for (const waitedUs of await Promise.all([first, ask()])) expect(waitedUs).toBeLessThan(500_000);
});
