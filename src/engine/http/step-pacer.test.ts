// The engine that answers over HTTP and the one of virtual time are the same: on a quiet host, whose clock jumps from one event to the next.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange, LoadShape, Prompt, RunPlan } from '../../core/index.ts';
import { EngineCore, estimateTokens, makeSimRunner, promptKeys, schedulerNames } from '../sim/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import type { PacerClock } from './step-pacer.ts';
import { planAnswer } from './planned-answer.ts';
import type { Call } from './read-call.ts';
import { StepPacer } from './step-pacer.ts';

/** Nothing takes time here, but whoever sleeps may be woken late. */
class QuietHost implements PacerClock {
  #nowMs = 0;
  #events: { atMs: number; act: () => void }[] = [];

  constructor(private readonly lateMs: () => number = () => 0) {}

  nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, act: () => void): () => void {
    const event = { atMs: Math.max(this.#nowMs, atMs), act };
    this.#events.push(event);
    return () => (this.#events = this.#events.filter((other) => other !== event));
  }

  wake(atMs: number, act: () => void): () => void {
    return this.at(atMs + this.lateMs(), act);
  }

  /** Until nothing is left to happen. */
  run(): void {
    while (this.#events.length > 0) {
      const next = this.#events.reduce((first, event) => (event.atMs < first.atMs ? event : first));
      this.#events = this.#events.filter((event) => event !== next);
      this.#nowMs = next.atMs;
      next.act();
    }
  }
}

const base: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'law',
  title: 'law',
  model: 'law',
  source: 'made up for tests',
  date: '2026',
  // All in halves of a millisecond: where nothing scatters, requests arrive at the very moment a step ends.
  cost: { aMs: 12, cMsPerDecode: 0.5, p1MsPerPrefillToken: 0.5, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 6,
  maxPrefillTokens: null,
  kv: null,
  notes: [],
};

/** What is asked: some begin alike, and some are the same. */
const questions = fc
  .record({
    alike: fc.integer({ min: 0, max: 40 }),
    own: fc.integer({ min: 1, max: 30 }),
    group: fc.integer({ min: 1, max: 3 }),
    maxTokens: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ alike, own, group, maxTokens }): Question => ({
    text: `Group ${group}: `.repeat(alike) + `why ${own}? `.repeat(own),
    maxTokens,
  }));

interface Question {
  text: string;
  maxTokens: number;
}

interface Case {
  engine: Pick<EngineProfile, 'overheadMs' | 'jitter' | 'kv'> & {
    front: EngineProfile['front'] | undefined;
    launch: EngineProfile['launch'] | undefined;
  };
  load: LoadShape;
  asks: Question[];
  seed: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  engine: fc.record({
    overheadMs: fc.constantFrom(0, 3.5, 40),
    jitter: fc.constantFrom({ stepSigma: 0 }, { stepSigma: 0.05, runSigma: 0.05 }),
    // With so few blocks some are preempted.
    kv: fc.constantFrom(null, { blocks: 30, blockSize: 16 }),
    front: fc.constantFrom(undefined, {
      tokenizeMsPerToken: 0.1,
      promptMsPerToken: 0.03,
      requestMs: 0.7,
      stepMs: 0.4,
      tokenMs: 0.9,
    }),
    launch: fc.constantFrom(undefined, { ms: 23, graphTokens: 20, graphMs: 7 }),
  }),
  load: fc.oneof(
    fc.record<LoadShape>({
      kind: fc.constant('closed'),
      concurrency: fc.integer({ min: 1, max: 9 }),
      ratePerSec: fc.constant(null),
      arrival: fc.constant({ process: 'closed' }),
      dropLate: fc.constant(false),
    }),
    fc.record<LoadShape>({
      kind: fc.constant('open'),
      concurrency: fc.constant(null),
      ratePerSec: fc.integer({ min: 1, max: 90 }),
      arrival: fc.constant({ process: 'poisson' }),
      dropLate: fc.constant(false),
    }),
    fc.record<LoadShape>({
      kind: fc.constant('open'),
      concurrency: fc.constant(null),
      ratePerSec: fc.constantFrom(10, 40, 80, 100, 2000),
      arrival: fc.constant({ process: 'constant' }),
      dropLate: fc.constant(false),
    }),
  ),
  asks: fc.array(questions, { minLength: 1, maxLength: 30 }),
  seed: fc.integer({ min: 1, max: 1e6 }),
});

/** By `dyno sim`'s own runner. */
async function virtual(engine: EngineProfile, { load, asks, seed }: Case): Promise<Exchange[]> {
  const queue = asks.map(({ text, maxTokens }, seq): Prompt => ({
    id: `p${seq}`,
    messages: [{ role: 'user', content: text }],
    text: null,
    labels: {},
    inputTokens: null,
    maxTokens,
  }));
  const plan = {
    target: { url: 'http://127.0.0.1/', api: 'openai-chat', model: 'm', headers: {}, keyEnv: null, insecure: false },
    generation: { stream: true, maxTokens: null, minTokens: null, ignoreEos: false, stop: [], body: {} },
    load,
    requests: asks.length,
    durationMs: null,
    warmup: null,
    timeouts: { connectMs: null, ttftMs: null, readMs: null, totalMs: null },
    seed,
  } as unknown as RunPlan;
  const runner = makeSimRunner({ profile: engine, workload: () => ({ next: () => queue.shift() ?? null }) });
  const never = new AbortController().signal;
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run(plan, { drain: never, cancel: never }, [])) exchanges.push(exchange);
  return exchanges.toSorted((a, b) => a.seq - b.seq);
}

/** What clients in front of a pacer hear, by request: of the step that made each token when it ended, and when the token left. */
interface PlayedTimes {
  madeMs: number[][];
  leftMs: number[][];
}

/** `dueMs` are the times of an open loop; in a closed one each end asks for the next. */
function live(
  engine: EngineProfile,
  { load, asks, seed }: Case,
  dueMs: number[],
  host: QuietHost,
  speed = 1,
): PlayedTimes {
  const heard: PlayedTimes = { madeMs: asks.map(() => []), leftMs: asks.map(() => []) };
  let next = 0;
  const ask = (): void => {
    const id = next++;
    if (id >= asks.length) return;
    const { text, maxTokens } = asks[id]!;
    const call = { kind: 'chat', text, maxTokens, minTokens: null, ignoreEos: false, stop: [] } as unknown as Call;
    const { key, outputTokens, piece } = planAnswer(call, { seed, reasoningTokens: 0, runaway: false });
    const inputTokens = estimateTokens(text);
    const answer = () => ({
      text: Array.from({ length: outputTokens }, (_, i) => piece(i)).join(''),
      tokens: outputTokens,
    });
    const { keyBlockSize } = core;
    const keys = keyBlockSize === null ? {} : { keys: promptKeys(text, inputTokens, keyBlockSize, answer) };
    const arrivalMs = pacer.nowMs() + engine.overheadMs!;
    pacer.submit({ id, inputTokens, outputTokens, prompt: key, arrivalMs, ...keys });
  };
  const core = new EngineCore({ profile: engine, seed });
  const pacer = new StepPacer(
    core,
    speed,
    (emissions, { endMs }) => {
      for (const { id, finished } of emissions) {
        heard.madeMs[id]!.push(endMs);
        heard.leftMs[id]!.push(pacer.nowMs());
        if (finished && load.kind === 'closed') host.at(host.nowMs(), ask);
      }
    },
    host,
  );
  const asked = load.kind === 'open' ? dueMs : Array.from({ length: load.concurrency! }, () => 0);
  for (const atMs of asked) host.at(atMs / speed, ask);
  host.run();
  return heard;
}

describe.each(schedulerNames)('under %s', (name) => {
  const profileOf = ({ engine, seed }: Case): EngineProfile => ({
    ...base,
    ...(JSON.parse(JSON.stringify(engine)) as Partial<EngineProfile>),
    scheduler: { name, settings: name === 'vllm-v1' && seed % 2 === 0 ? { async_scheduling: true } : {} },
  });

  it('every token leaves when dyno sim has it come, to the last bit', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const engine = profileOf(one);
        const exchanges = await virtual(engine, one);
        const dueMs = exchanges.map((exchange) => exchange.dueMs);
        const { leftMs, madeMs } = live(engine, one, dueMs, new QuietHost());
        expect(exchanges.map(({ outcome }) => outcome)).toEqual(one.asks.map(() => 'ok'));
        expect(leftMs).toEqual(exchanges.map(({ chunks }) => chunks.atMs));
        expect(madeMs).toEqual(leftMs);
      }),
      { numRuns: 60 },
    );
  });

  it('a host that wakes the engine late delays tokens and no step', async () => {
    const lateness = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 20 });
    const open = cases.filter(({ load }) => load.kind === 'open');
    await fc.assert(
      fc.asyncProperty(open, lateness, async (one, lateUs) => {
        const engine = profileOf(one);
        const exchanges = await virtual(engine, one);
        const dueMs = exchanges.map((exchange) => exchange.dueMs);
        let woken = 0;
        const host = new QuietHost(() => lateUs[woken++ % lateUs.length]! / 1000);
        const { leftMs, madeMs } = live(engine, one, dueMs, host);
        expect(madeMs).toEqual(exchanges.map(({ chunks }) => chunks.atMs));
        const late = madeMs.flatMap((times, id) => times.map((atMs, token) => leftMs[id]![token]! - atMs));
        expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 30 },
    );
  });

  it('a quicker engine makes the same tokens in less time', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.constantFrom(10, 0.5, 3), async (one, speed) => {
        const engine = profileOf(one);
        const exchanges = await virtual(engine, one);
        const dueMs = exchanges.map((exchange) => exchange.dueMs);
        const { leftMs } = live(engine, one, dueMs, new QuietHost(), speed);
        const rounded = (times: number[][]): number[][] => times.map((all) => all.map((ms) => Math.round(ms * 1e6)));
        expect(rounded(leftMs)).toEqual(rounded(exchanges.map(({ chunks }) => chunks.atMs)));
      }),
      { numRuns: 20 },
    );
  });
});

it('whoever is taken out gets no token more, on the way in or served', () => {
  const host = new QuietHost();
  const heard: [number, number][] = [];
  const pacer = new StepPacer(
    new EngineCore({ profile: base, seed: 1 }),
    1,
    (emissions) => heard.push(...emissions.map(({ id, tokenIndex }): [number, number] => [id, tokenIndex])),
    host,
  );
  const ask = { inputTokens: 10, outputTokens: 3 };
  // Steps end at 17, 34.5 and 47.5 ms.
  pacer.submit({ id: 0, ...ask, arrivalMs: 0 });
  pacer.submit({ id: 1, ...ask, arrivalMs: 0 });
  pacer.submit({ id: 2, ...ask, arrivalMs: 30 });
  host.at(20, () => pacer.cancel(2));
  host.at(40, () => pacer.cancel(1));
  host.run();
  expect(heard.filter(([id]) => id === 0)).toHaveLength(3);
  expect(heard.filter(([id]) => id === 1)).toHaveLength(1);
  expect(heard.filter(([id]) => id === 2)).toEqual([]);
});

it('on the clock of the wall no token leaves before its step has ended', async () => {
  const late: number[] = [];
  const profile = { ...base, cost: { ...base.cost, aMs: 5 } };
  await new Promise<void>((resolve) => {
    const pacer = new StepPacer(new EngineCore({ profile, seed: 1 }), 1, (emissions, { endMs }) => {
      late.push(pacer.nowMs() - endMs);
      if (emissions[0]!.finished) resolve();
    });
    pacer.submit({ id: 0, inputTokens: 10, outputTokens: 40, arrivalMs: pacer.nowMs() });
  });
  expect(late).toHaveLength(40);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
});
