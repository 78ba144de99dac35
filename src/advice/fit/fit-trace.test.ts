import { describe, expect, it } from 'vitest';
import { randomStream } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { fitTrace, readTrace, replay } from './index.ts';
import type { TracedRequest } from './index.ts';

const hidden: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'hidden',
  title: 'hidden',
  model: 'hidden',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 12.3, cMsPerDecode: 0.05, p1MsPerPrefillToken: 0.048, kMsPer1000KvTokens: 0.061 },
  jitter: { stepSigma: 0.03 },
  maxBatchSize: 256,
  maxPrefillTokens: null,
  kv: { blocks: 20_000, blockSize: 16 },
  scheduler: { name: 'vllm-v1', settings: { max_num_seqs: 256, max_num_batched_tokens: 2048 } },
  overheadMs: 3,
  notes: [],
};

function tracedRun(profile: EngineProfile, count: number, ratePerSec: number): TracedRequest[] {
  const random = randomStream(3, 'trace');
  let arrivalMs = 0;
  const requests = Array.from({ length: count }, (): TracedRequest => {
    arrivalMs += (1000 * random.exponential()) / ratePerSec;
    const promptTokens = Math.max(4, Math.round(Math.exp(5.8 + 0.8 * random.normal())));
    const outputTokens = Math.max(2, Math.round(Math.exp(5 + 0.6 * random.normal())));
    return { arrivalMs, promptTokens, outputTokens, ttftMs: 0, tpotMs: 0, latencyMs: 0 };
  });
  const played = replay(profile, requests, 9);
  return requests.map((request, i) => ({
    ...request,
    ttftMs: played.ttftMs[i]!,
    tpotMs: played.tpotMs[i]!,
    latencyMs: played.latencyMs[i]!,
  }));
}

describe('a request trace of a simulated vLLM with hidden parameters', () => {
  it('fitted on a quarter, predicts every mean, p50, p90 and p99 of the rest within 6 %', () => {
    const requests = tracedRun(hidden, 800, 5);
    const fit = fitTrace(requests, {
      train: 0.25,
      scheduler: 'vllm-v1',
      settings: { max_num_seqs: 256, max_num_batched_tokens: 2048 },
      kv: hidden.kv,
    });
    expect(fit.trained).toBe(200);
    expect(Object.keys(fit.metrics)).toHaveLength(12);
    for (const { error } of Object.values(fit.metrics)) expect(Math.abs(error)).toBeLessThan(0.06);
  });

  it('asked three times as fast as it can serve, it is known from a quarter in which nobody had to wait yet', () => {
    const small = { ...hidden, maxBatchSize: 64, jitter: { stepSigma: 0.01 } };
    const settings = { max_num_seqs: 64, max_num_batched_tokens: 2048 };
    const requests = tracedRun({ ...small, scheduler: { name: 'vllm-v1', settings } }, 240, 40);
    const quarter = requests.slice(0, 60).map((request) => request.ttftMs);
    // The others came to a full batch.
    expect(Math.max(...quarter) * 2).toBeLessThan(Math.max(...requests.map((request) => request.ttftMs)));
    const fit = fitTrace(requests, { train: 0.25, scheduler: 'vllm-v1', settings, kv: hidden.kv });
    for (const { error } of Object.values(fit.metrics)) expect(Math.abs(error)).toBeLessThan(0.06);
    const drawn = fit.sample(40, 1).map(({ cost }) => cost.aMs + 64 * cost.cMsPerDecode);
    const truth = hidden.cost.aMs + 64 * hidden.cost.cMsPerDecode;
    // Steps of a full batch: the engines that explain the trace lie around the true one, and not far from it.
    expect(Math.min(...drawn)).toBeLessThan(truth);
    expect(Math.max(...drawn)).toBeGreaterThan(truth);
    expect(Math.max(...drawn) / Math.min(...drawn)).toBeLessThan(1.5);
  });
});

it('a KV cache in which an answered request finds no room is refused: blocks or blockSize must be wrong', () => {
  const requests = tracedRun(hidden, 100, 5);
  const longest = Math.max(...requests.map((request) => request.promptTokens + request.outputTokens));
  const fit = (): unknown =>
    fitTrace(requests, { train: 0.25, scheduler: 'vllm-v1', settings: {}, kv: { blocks: longest - 1, blockSize: 1 } });
  expect(fit).toThrow(`a KV cache of ${longest - 1} tokens holds no request of ${longest}`);
});

it('answers that took no time are refused: there is nothing to fit', () => {
  const requests = tracedRun(hidden, 60, 5).map((request) => ({ ...request, ttftMs: 0, tpotMs: 0, latencyMs: 0 }));
  const fit = (): unknown => fitTrace(requests, { train: 0.25, scheduler: 'vllm-v1', settings: {}, kv: null });
  expect(fit).toThrow('took no time');
});

describe('what nobody told of a server', () => {
  it('a batch is never taken for smaller than what was seen in it', () => {
    const settings = { max_num_seqs: 1024, max_num_batched_tokens: 8192 };
    const cost = { ...hidden.cost, p1MsPerPrefillToken: 0.001 };
    const wide = { ...hidden, cost, maxBatchSize: 1024, kv: null, scheduler: { name: 'vllm-v1' as const, settings } };
    const requests = tracedRun(wide, 600, 150);
    const fit = fitTrace(requests, { train: 0.75, scheduler: 'vllm-v1', settings: {}, kv: null });
    const atOnce = requests.slice(0, 450).filter(({ arrivalMs, ttftMs, latencyMs }) => {
      const momentMs = requests[449]!.arrivalMs;
      return arrivalMs + ttftMs < momentMs && arrivalMs + latencyMs > momentMs;
    });
    expect(atOnce.length).toBeGreaterThan(256);
    expect(fit.profile.maxBatchSize).toBeGreaterThanOrEqual(atOnce.length);
    // A step's tokens are never fewer than its sequences: no server would start so.
    expect(Number(fit.profile.scheduler!.settings['max_num_batched_tokens'])).toBeGreaterThanOrEqual(
      fit.profile.maxBatchSize,
    );
  });

  it('a KV cache is never taken for smaller than the longest request, however short all are beside a block', () => {
    const settings = { maxBatchSize: 8 };
    const eight = { ...hidden, maxBatchSize: 8, kv: null, scheduler: { name: 'mindie' as const, settings } };
    const asked = Array.from({ length: 80 }, (_, i) => ({
      arrivalMs: i < 8 ? 60 * i : 600,
      promptTokens: 4,
      outputTokens: 57,
      ttftMs: 0,
      tpotMs: 0,
      latencyMs: 0,
    }));
    const { ttftMs, latencyMs } = replay(eight, asked, 1);
    const requests = asked.map((request, i) => ({
      ...request,
      ttftMs: ttftMs[i]!,
      latencyMs: latencyMs[i]!,
      tpotMs: (latencyMs[i]! - ttftMs[i]!) / 56,
    }));
    const { profile } = fitTrace(requests, { train: 0.5, scheduler: 'mindie', settings: {}, kv: null });
    expect(profile.kv === null || profile.kv.blocks * profile.kv.blockSize >= 61).toBe(true);
  });

  it('one request that hung does not make a good fit look bad', () => {
    const requests = tracedRun(hidden, 400, 5);
    requests[30] = { ...requests[30]!, latencyMs: 3_600_000, tpotMs: 36_000 };
    const fit = fitTrace(requests, { train: 0.25, scheduler: 'vllm-v1', settings: {}, kv: hidden.kv });
    expect(fit.residual).toBeLessThan(0.05);
  });
});

describe('an engine with features that a straight line lacks, seen through one run whose rate climbs past saturation', () => {
  const odd: EngineProfile = {
    ...hidden,
    cost: {
      aMs: 18,
      cMsPerDecode: 0.06,
      p1MsPerPrefillToken: 0.07,
      kMsPer1000KvTokens: 0.05,
      mMsPerMillionAttention: 0.3,
      // The step jumps by 2.5 ms where a kernel changes.
      decodeCurve: [
        { decodes: 30, ms: 1.8 },
        { decodes: 38, ms: 4.78 },
      ],
    },
    kv: { blocks: 2500, blockSize: 16 },
  };
  const settings = { max_num_seqs: 256, max_num_batched_tokens: 2048 };
  /** The highest rate at which nine in ten first tokens come within 600 ms and nine in ten answers take at most 34 ms a token. */
  const capacity = (profile: EngineProfile): number => {
    const unit = tracedRun(profile, 600, 1);
    const p90 = (values: Float64Array): number =>
      values.filter((value) => !Number.isNaN(value)).sort()[Math.floor(0.9 * values.length)]!;
    let [low, high] = [0.5, 30];
    while (high / low > 1.002) {
      const rate = Math.sqrt(low * high);
      const played = replay(
        profile,
        unit.map((request) => ({ ...request, arrivalMs: request.arrivalMs / rate })),
        5,
      );
      if (p90(played.ttftMs) <= 600 && p90(played.tpotMs) <= 34) low = rate;
      else high = rate;
    }
    return low;
  };
  const climbing = tracedRun(odd, 700, 1).map((request, i) => ({
    ...request,
    arrivalMs: request.arrivalMs / (2 + i / 70),
  }));
  const ordered = climbing.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const seen = replay(odd, ordered, 9, true);
  const measured = ordered.map((request, i) => ({
    ...request,
    ttftMs: seen.ttftMs[i]!,
    tpotMs: seen.tpotMs[i]!,
    latencyMs: seen.latencyMs[i]!,
    tokens: { atMs: seen.tokenAtMs[i]!, counts: seen.tokenAtMs[i]!.map(() => 1) },
  }));
  const fit = fitTrace(measured, { train: 0.98, scheduler: 'vllm-v1', settings, kv: odd.kv });
  const truth = capacity(odd);

  it('has its capacity under an SLO predicted within 5 %, and within the range of engines that explain the run', () => {
    expect(Math.abs(capacity(fit.profile) / truth - 1)).toBeLessThan(0.05);
    const drawn = fit
      .sample(12, 1)
      .map(capacity)
      .toSorted((a, b) => a - b);
    expect(truth).toBeGreaterThanOrEqual(drawn[0]!);
    expect(truth).toBeLessThanOrEqual(drawn.at(-1)!);
  });

  it('is found to bend, by what was left out', () => {
    expect(fit.knots.length).toBeGreaterThan(0);
  });
});

describe('the file', () => {
  const line = { arrivalMs: 0, promptTokens: 10, outputTokens: 3, ttftMs: 20, tpotMs: 10, latencyMs: 40 };
  const lines = (count: number): string => Array.from({ length: count }, () => JSON.stringify(line)).join('\n');

  it('is one object per line; the time per token follows from the other two', () => {
    expect(readTrace(`${lines(20)}\n\n`, 'x.jsonl').requests).toHaveLength(20);
    expect(readTrace(lines(20), 'x.jsonl').requests[0]).toEqual(line);
  });

  it('may come in any order, with other keys, and with requests that were not answered, which are counted', () => {
    const late = JSON.stringify({ ...line, arrivalMs: 7, id: 'r7', tpotMs: null });
    const failed = [{ ttftMs: null }, { latencyMs: null }, { outputTokens: 0 }].map((part) =>
      JSON.stringify({ ...line, ...part }),
    );
    const { requests, unanswered } = readTrace([late, ...failed, lines(20)].join('\r\n'), 'x.jsonl');
    expect(unanswered).toBe(3);
    expect(requests.at(-1)).toEqual({ ...line, arrivalMs: 7 });
  });

  it.each([
    ['a byte order mark', `\uFEFF${lines(20)}`],
    ['one list', `[${Array.from({ length: 20 }, () => JSON.stringify(line)).join(',\n')}]`],
    ['numbers as text', lines(20).replaceAll(/:(\d+)/g, ':"$1"')],
    ['no ttftMs', lines(20).replaceAll('"ttftMs":20,', '')],
    ['no latencyMs', lines(20).replaceAll(',"latencyMs":40', '')],
    [
      'snake case',
      lines(20)
        .replaceAll('Ms"', '_ms"')
        .replaceAll(/(prompt|output)Tokens/g, '$1_tokens'),
    ],
    ['NaN where there is nothing', `${lines(20)}\n${JSON.stringify(line).replace(/20/, 'NaN')}`],
    ['milliseconds that are not named', lines(20).replaceAll('Ms"', '"')],
    [
      'seconds that are not named',
      lines(20).replaceAll(/"(arrival|ttft|tpot|latency)Ms":(\d+)/g, (_, name, ms) => `"${name}":${Number(ms) / 1000}`),
    ],
    [
      'seconds that are',
      lines(20).replaceAll(/"(ttft|latency)Ms":(\d+)/g, (_, name, ms) => `"${name}_s":${Number(ms) / 1000}`),
    ],
  ])('is read with %s', (_, text) => {
    const { requests } = readTrace(text, 'x.jsonl');
    expect(requests).toHaveLength(20);
    expect(requests[0]).toEqual(line);
  });

  it('may tell moments instead of times, as vLLM does: a request whose arrival is on another clock came when it was queued', () => {
    const own = { input_toks: 10, output_toks: 3, queued_ts: 500, first_token_ts: 500.02, last_token_ts: 500.04 };
    const [other, same] = [1.7e9, 500].map((arrival_time) =>
      Array.from({ length: 20 }, () => JSON.stringify({ request_id: 'x-0', arrival_time, ...own })).join('\n'),
    );
    for (const text of [other!, same!]) {
      const { requests, assumedUnit } = readTrace(text, 'x.jsonl');
      expect(assumedUnit).toBe('s');
      expect(requests[0]!.arrivalMs).toBe(500_000);
      expect(requests[0]!.ttftMs).toBeCloseTo(20, 6);
      expect(requests[0]!.tpotMs).toBeCloseTo(10, 6);
      expect(requests[0]!.latencyMs).toBeCloseTo(40, 6);
    }
  });

  it('moments say nothing where the times are told; a moment that is missing, or 0 as vLLM has it, is no answer', () => {
    const moments = { queued_ts: 500, first_token_ts: 500.02, last_token_ts: 500.04 };
    const told = JSON.stringify({ ...line, arrivalMs: 1.7e12, ...moments });
    const text = Array.from({ length: 20 }, () => told).join('\n');
    expect(readTrace(text, 'x.jsonl').requests[0]).toEqual({ ...line, arrivalMs: 1.7e12 });
    const own = { input_toks: 10, output_toks: 3, arrival_time: 500, ...moments };
    const rows = [
      ...Array.from({ length: 20 }, () => own),
      { ...own, first_token_ts: 0 },
      { ...own, last_token_ts: null },
    ];
    const { requests, unanswered } = readTrace(rows.map((row) => JSON.stringify(row)).join('\n'), 'x.jsonl');
    expect([requests.length, unanswered]).toEqual([20, 2]);
  });

  it.each([
    ['{"arrival":0,"promptTokens":1,"outputTokens":2,"ttft_s":1,"latency_s":1e306}', 'latencyMs'],
    [JSON.stringify({ ...line, ttftMs: 41 }), 'ttftMs is larger'],
    ['{', 'not JSON'],
    ['[]', 'ttftMs'],
    ['{"__proto__":{"ttftMs":1},"latencyMs":1}', 'ttftMs'],
    [JSON.stringify({ ...line, promptTokens: 0 }), 'promptTokens'],
    [JSON.stringify({ ...line, outputTokens: 1e12 }), 'outputTokens must be a number from 1 to 10000000'],
    [JSON.stringify({ ...line, arrivalMs: 'now' }), 'arrivalMs'],
  ])('with %s in line 21 is refused with the line', (bad, what) => {
    expect(() => readTrace(`${lines(20)}\n${bad}`, 'x.jsonl')).toThrow(new RegExp(`x\\.jsonl:21.*${what}`));
  });
});
