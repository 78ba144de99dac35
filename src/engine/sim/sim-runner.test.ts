import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange, Prompt, RunPlan, StopRule, StopSignals } from '../../core/index.ts';
import { fromPrompts, plainPrompt } from '../../inputs/workload/index.ts';
import type { EngineProfile } from './index.ts';
import { makeSimRunner } from './index.ts';

const profile: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'plain',
  title: 'plain',
  model: 'plain',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 10, cMsPerDecode: 1, p1MsPerPrefillToken: 0.5, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 8,
  maxPrefillTokens: null,
  kv: { blocks: 1000, blockSize: 16 },
  notes: [],
};

const plan: RunPlan = {
  label: null,
  target: { url: 'http://127.0.0.1/', api: 'openai-chat', model: 'plain', headers: {}, keyEnv: null, insecure: false },
  dataset: { spec: 'test', kind: 'test', name: 'test', hash: null, items: null, bytes: null, offset: 0, cycled: true },
  generation: {
    stream: true,
    maxTokens: 5,
    minTokens: null,
    temperature: null,
    ignoreEos: true,
    stop: [],
    body: {},
  },
  load: { kind: 'closed', concurrency: 1, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
  requests: 3,
  durationMs: null,
  warmup: null,
  timeouts: { connectMs: null, ttftMs: null, readMs: null, totalMs: null },
  seed: 1,
  slo: [],
  keepText: false,
};

const prompts = Array.from({ length: 50 }, (_, i): Prompt => ({ ...plainPrompt(`p${i}`, 'why?'), inputTokens: 20 }));

interface Parts {
  rules?: StopRule[];
  stops?: StopSignals;
  profile?: EngineProfile;
  /** Looks at each exchange as it comes out. */
  look?: (exchange: Exchange) => void;
}

async function play(what: Partial<RunPlan>, given: Parts = {}): Promise<Exchange[]> {
  const runner = makeSimRunner({
    profile: given.profile ?? profile,
    workload: () => fromPrompts(prompts, { offset: 0, cycle: true }),
  });
  const never = new AbortController().signal;
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run(
    { ...plan, ...what },
    given.stops ?? { drain: never, cancel: never },
    given.rules ?? [],
  )) {
    exchanges.push(exchange);
    given.look?.(exchange);
  }
  return exchanges;
}

/** Sums of fractions are a hair off. */
const round = (ms: number | null): number => Math.round(ms! * 1e6) / 1e6;

const open = (ratePerSec: number, concurrency: number | null, dropLate = false): RunPlan['load'] => ({
  kind: 'open',
  concurrency,
  ratePerSec,
  arrival: { process: 'constant' },
  dropLate,
});

describe('closed loop', () => {
  it('one at a time: each request takes a + prefill + (out − 1)·(a + c), and the next leaves with its end', async () => {
    const exchanges = await play({});
    // 10 + 0.5·20 = 20 to the first token, and 4 more at 11.
    expect(exchanges.map((e) => [e.seq, e.promptId, round(e.sentMs), round(e.endMs)])).toEqual([
      [0, 'p0', 0, 64],
      [1, 'p1', 64, 128],
      [2, 'p2', 128, 192],
    ]);
    expect(exchanges[0]).toMatchObject({
      chunks: { atMs: [20, 31, 42, 53, 64], tokens: [1, 1, 1, 1, 1], kinds: 'aaaaa' },
      outputTokens: { server: 5 },
      inputTokens: { planned: 20, server: 20 },
      outcome: 'ok',
      finish: 'length',
      httpStatus: 200,
    });
  });

  it('keeps the asked number in flight until the requests run out', async () => {
    const exchanges = await play({ load: { ...plan.load, concurrency: 3 }, requests: 30 });
    const sent = exchanges.map((e) => e.sentMs!).toSorted((a, b) => a - b);
    const ends = exchanges.map((e) => e.endMs).toSorted((a, b) => a - b);
    expect(sent.slice(0, 3)).toEqual([0, 0, 0]);
    expect(sent.slice(3).map((ms, i) => round(ms - ends[i]!))).toEqual(Array.from({ length: 27 }, () => 0));
  });

  it('not streamed: the same end, nothing seen before it', async () => {
    const [first] = await play({ generation: { ...plan.generation, stream: false } });
    expect(first).toMatchObject({
      endMs: 64,
      firstByteMs: 64,
      chunks: { atMs: [], tokens: [], kinds: '' },
      outputTokens: { server: 5 },
    });
  });

  it('a duration ends the sending and lets the rest drain', async () => {
    const exchanges = await play({ requests: null, durationMs: 100 });
    expect(exchanges.map((e) => [e.sentMs, round(e.endMs), e.outcome])).toEqual([
      [0, 64, 'ok'],
      [64, 128, 'ok'],
    ]);
  });
});

describe('open loop', () => {
  it('sends at the due times and lets requests share steps', async () => {
    const exchanges = await play({ load: open(100, null), requests: 4 });
    expect(exchanges.map((e) => e.dueMs)).toEqual([0, 10, 20, 30]);
    expect(exchanges.map((e) => e.sentMs)).toEqual([0, 10, 20, 30]);
  });

  it('above the cap an ask waits and leaves late', async () => {
    const exchanges = await play({ load: open(100, 1), requests: 3 });
    expect(exchanges.map((e) => [e.dueMs, round(e.sentMs)])).toEqual([
      [0, 0],
      [10, 64],
      [20, 128],
    ]);
  });

  it('or is dropped, where the plan says so', async () => {
    const exchanges = await play({ load: open(100, 1, true), requests: 8 });
    // The first holds the slot until 64; what is due at 10, 20 … 60 is dropped, what is due at 70 is sent.
    expect(exchanges.filter((e) => e.outcome === 'ok').map((e) => e.dueMs)).toEqual([0, 70]);
    const dropped = exchanges.filter((e) => e.outcome === 'dropped');
    expect(dropped.map((e) => [e.dueMs, e.sentMs, e.problem?.code])).toEqual(
      [10, 20, 30, 40, 50, 60].map((dueMs) => [dueMs, null, 'dropped-late']),
    );
  });
});

describe('the way to the engine', () => {
  it('takes what the profile says', async () => {
    const ttftMs = async (more: Partial<EngineProfile>): Promise<number> => {
      const [first] = await play({ load: open(1, null), requests: 1 }, { profile: { ...profile, ...more } });
      return first!.chunks.atMs[0]!;
    };
    expect(await ttftMs({})).toBe(20);
    expect(await ttftMs({ overheadMs: 25 })).toBe(45);
  });

  it('an answer that ends at the moment of its deadline is whole', async () => {
    const [first] = await play({ requests: 1, timeouts: { ...plan.timeouts, totalMs: 64 } });
    expect(first).toMatchObject({ outcome: 'ok', endMs: 64 });
  });
});

describe('warm-up', () => {
  const split = async (concurrency: number): Promise<{ warm: Exchange[]; measured: Exchange[] }> => {
    const load = { ...plan.load, concurrency };
    const exchanges = await play({ load, warmup: { requests: 3 }, requests: 4 });
    const warm = exchanges.filter((e) => e.warmup);
    const measured = exchanges.filter((e) => !e.warmup);
    expect(warm.map((e) => e.seq).toSorted((a, b) => b - a)).toEqual([-1, -2, -3]);
    expect(measured.map((e) => e.seq)).toEqual([0, 1, 2, 3]);
    return { warm, measured };
  };
  it('that leaves slots free is drained before measuring starts, and flagged', async () => {
    const { warm, measured } = await split(4);
    const drainedMs = Math.max(...warm.map((e) => e.endMs));
    expect(Math.min(...measured.map((e) => e.sentMs!)) - drainedMs).toBe(0);
  });
  it('that fills every slot hands each over at the moment it is free', async () => {
    const { warm, measured } = await split(2);
    const ends = [...warm, ...measured].map((e) => e.endMs).toSorted((a, b) => a - b);
    // Three of the warm-up in two slots: the first measured one follows the second of them to end.
    expect(measured.map((e) => e.dueMs).toSorted((a, b) => a - b)).toEqual(ends.slice(1, 5));
    expect(measured.map((e) => e.sentMs)).toEqual(measured.map((e) => e.dueMs));
  });
});

describe('timeouts', () => {
  const none = plan.timeouts;
  it.each([
    ['timeout-ttft', { ...none, ttftMs: 15 }, 15, 0],
    ['timeout-total', { ...none, totalMs: 40 }, 40, 2],
    ['timeout-read', { ...none, readMs: 22 }, 42, 1],
  ] as const)('%s fails the request at its moment and frees the slot', async (code, timeouts, endMs, tokens) => {
    // For the read timeout steps of 180 ms follow a first token at 20 ms.
    const slow = { ...profile, cost: { ...profile.cost, cMsPerDecode: 170 } };
    const [first, second] = await play({ timeouts }, code === 'timeout-read' ? { profile: slow } : {});
    expect(first).toMatchObject({ outcome: 'failed', problem: { code }, endMs });
    expect(first!.chunks.atMs).toHaveLength(tokens);
    expect(second!.sentMs).toBe(endMs);
  });

  it('what can never fit is refused, not waited for', async () => {
    const tiny = { ...profile, kv: { blocks: 1, blockSize: 16 } };
    const exchanges = await play({ requests: null, durationMs: 10 }, { profile: tiny });
    expect(exchanges).toHaveLength(10);
    expect(exchanges[0]).toMatchObject({
      outcome: 'failed',
      problem: { code: 'http-4xx', status: 400 },
      httpStatus: 400,
    });
  });
});

describe('stops', () => {
  it('sending: drains what is in flight, the rest comes out as never sent', async () => {
    const sending = new AbortController();
    const everything = new AbortController();
    const exchanges = await play(
      { load: { ...plan.load, concurrency: 2 }, requests: 10 },
      {
        stops: { drain: sending.signal, cancel: everything.signal },
        look: (e) => e.seq === 1 && sending.abort(),
      },
    );
    const by = (outcome: string) => exchanges.filter((e) => e.outcome === outcome).length;
    expect(exchanges.map((e) => e.seq).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // 0 began alone and ended a step before 1, so that 2 had left when the stop came.
    expect([by('ok'), by('cancelled')]).toEqual([3, 7]);
    expect(exchanges.filter((e) => e.problem?.code === 'not-sent').every((e) => e.sentMs === null)).toBe(true);
  });

  it('everything: cancels what is in flight too', async () => {
    const sending = new AbortController();
    const everything = new AbortController();
    const exchanges = await play(
      { load: open(100, null), requests: 30 },
      {
        stops: { drain: sending.signal, cancel: everything.signal },
        look: (e) => e.seq === 0 && everything.abort(),
      },
    );
    const codes = exchanges.map((e) => e.problem?.code ?? 'ok');
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(codes.filter((code) => code === 'cancelled').length).toBeGreaterThan(0);
    expect(codes.length).toBe(30);
    expect(new Set(codes)).toEqual(new Set(['ok', 'cancelled', 'not-sent']));
  });

  it('a rule stops the run as a signal does', async () => {
    const exchanges = await play({ requests: 10 }, { rules: [(state) => (state.ok >= 4 ? 'stop-sending' : 'go')] });
    expect(exchanges.filter((e) => e.outcome === 'ok')).toHaveLength(4);
    expect(exchanges.filter((e) => e.problem?.code === 'not-sent')).toHaveLength(6);
  });
});

describe('laws', () => {
  const closed = fc.record<RunPlan['load']>({
    kind: fc.constant('closed'),
    concurrency: fc.integer({ min: 1, max: 12 }),
    ratePerSec: fc.constant(null),
    arrival: fc.constant({ process: 'closed' }),
    dropLate: fc.constant(false),
  });
  const poisson = fc.record<RunPlan['load']>({
    kind: fc.constant('open'),
    concurrency: fc.option(fc.integer({ min: 1, max: 12 })),
    ratePerSec: fc.integer({ min: 1, max: 300 }),
    arrival: fc.constant({ process: 'poisson' }),
    dropLate: fc.boolean(),
  });
  const anyLoad = fc.oneof(closed, poisson);

  it('every planned request ends exactly once, in order of end, with causal times; the same seed repeats the run', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLoad,
        fc.integer({ min: 1, max: 40 }),
        fc.option(fc.integer({ min: 50, max: 3000 })),
        fc.integer({ min: 0, max: 2 ** 40 }),
        async (load, requests, totalMs, seed) => {
          const generation = { ...plan.generation, maxTokens: null, ignoreEos: false };
          const what = { load, requests, seed, generation, timeouts: { ...plan.timeouts, totalMs } };
          const exchanges = await play(what);
          expect(exchanges.map((e) => e.seq).toSorted((a, b) => a - b)).toEqual(
            Array.from({ length: requests }, (_, i) => i),
          );
          exchanges.slice(1).forEach((e, i) => expect(e.endMs).toBeGreaterThanOrEqual(exchanges[i]!.endMs));
          for (const e of exchanges.filter((one) => one.sentMs !== null)) {
            const times = [e.dueMs, e.sentMs!, ...e.chunks.atMs, e.endMs];
            expect(times).toEqual(times.toSorted((a, b) => a - b));
            if (e.outcome === 'ok') expect(e.chunks.atMs).toHaveLength(e.outputTokens.server!);
          }
          expect(await play(what)).toEqual(exchanges);
        },
      ),
      { numRuns: 40, seed: 21 },
    );
  });
});
