// An engine that is told when and why requests were sent: what the host takes to bring them decides nothing.
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Prompt, RunPlan } from '../core/index.ts';
import { EngineCore, lastMs, makeSimRunner, restMs, schedulerNames, takenLive, wakeMsAfter } from '../sim/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import { profile } from './plain-client.ts';
import { QuietHost } from './quiet-host.ts';
import type { Arriving, Emit } from './step-pacer.ts';
import { StepPacer } from './step-pacer.ts';

afterEach(() => vi.unstubAllGlobals());

/** By request: a moment of each of its tokens. */
type Told = Map<number, number[]>;

const note = (told: Told, id: number, atMs: number): void => void told.set(id, [...(told.get(id) ?? []), atMs]);

/** What came of requests: when the steps ended that made their tokens, when these left, and of how many tokens each step was said to be. */
interface Came {
  made: Told;
  left: Told;
  ofTokens: Told;
}

/** A request, when it can be read, and how long reading it takes. */
interface Read extends Arriving {
  atMs: number;
  takesMs?: number;
}

function live(engine: EngineProfile, asked: readonly Read[], leadMs = 0): Came {
  const host = new QuietHost();
  const came: Came = { made: new Map(), left: new Map(), ofTokens: new Map() };
  const emit: Emit = (emissions, step, tokens) => {
    for (const { id } of emissions) {
      note(came.made, id, step.endMs);
      note(came.left, id, pacer.nowMs());
      note(came.ofTokens, id, tokens);
    }
  };
  const pacer = new StepPacer(new EngineCore({ profile: engine, seed: 1 }), 1, emit, {
    ms: leadMs,
    takesMs: () => 0,
  });
  for (const { atMs, takesMs = 0, ...read } of asked) {
    host.at(atMs, () => {
      host.spend(takesMs);
      pacer.submit(read);
    });
  }
  host.run();
  vi.unstubAllGlobals();
  return came;
}

/** The same in virtual time, as VirtualRun drives the core. */
function virtual(engine: EngineProfile, asked: readonly Read[]): Told {
  const core = new EngineCore({ profile: engine, seed: 1 });
  const told: Told = new Map();
  const queue = asked.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  while (queue.length > 0 || core.step !== null) {
    const nextMs = queue[0]?.arrivalMs ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    for (const { id, tokenAtMs } of finishes) for (const atMs of tokenAtMs) note(told, id, atMs);
    if (finishes.length > 0) continue;
    const next = queue.shift();
    if (next === undefined) break;
    core.submit(next);
    if (core.step === null) core.beginStep(next.arrivalMs + wakeMsAfter(next.askedMs! - core.restsSinceMs));
  }
  return told;
}

const asks = fc
  .array(
    fc.record({
      gapUs: fc.integer({ min: 1, max: 60_000 }),
      sentUs: fc.integer({ min: 0, max: 3900 }),
      bringUs: fc.integer({ min: 10, max: 1900 }),
      inputTokens: fc.integer({ min: 1, max: 200 }),
      outputTokens: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((list): Read[] => {
    let dueMs = 1;
    return list.map(({ gapUs, sentUs, bringUs, inputTokens, outputTokens }, id) => {
      // A hair for each beside the microseconds: who arrives at the very moment a step ends may fall on either side.
      dueMs += gapUs / 1000 + 1.37e-5;
      const sentMs = dueMs + sentUs / 1000;
      const { askedMs, takenMs: arrivalMs, lateMs } = takenLive(profile, { dueMs, sentMs });
      return { id, askedMs, arrivalMs, lateMs, atMs: sentMs + bringUs / 1000, inputTokens, outputTokens };
    });
  });

/** Many who ask at one moment: sent one right after the other, and read for longer than the first of them wait for. */
const bursts = fc
  .record({
    asks: fc.array(
      fc.record({ inputTokens: fc.integer({ min: 1, max: 200 }), outputTokens: fc.integer({ min: 1, max: 6 }) }),
      {
        minLength: 120,
        maxLength: 200,
      },
    ),
    sendUs: fc.integer({ min: 20, max: 60 }),
    readUs: fc.integer({ min: 150, max: 300 }),
  })
  .map(({ asks: all, sendUs, readUs }): Read[] =>
    all.map(({ inputTokens, outputTokens }, id) => {
      const sentMs = 1 + ((id + 1) * sendUs) / 1000;
      const { askedMs, takenMs, lateMs } = takenLive(profile, { dueMs: 1, sentMs });
      const arrivalMs = takenMs + 1e-6 * lateMs;
      return { id, askedMs, arrivalMs, lateMs, atMs: sentMs, takesMs: readUs / 1000, inputTokens, outputTokens };
    }),
  );

const rounded = (told: Told): [number, number[]][] =>
  [...told].toSorted(([a], [b]) => a - b).map(([id, times]) => [id, times.map((ms) => Math.round(ms * 1e4) / 1e4)]);

describe('an engine that is told when requests were due', () => {
  it.each(schedulerNames)(
    'under %s makes every token when virtual time makes it, however late they are read',
    (name) => {
      const cost = { ...profile.cost, aMs: 12, p1MsPerPrefillToken: 0.1 };
      const engine: EngineProfile = { ...profile, cost, maxBatchSize: 8, scheduler: { name, settings: {} } };
      fc.assert(
        fc.property(asks, (asked) => {
          expect(rounded(live(engine, asked).made)).toEqual(rounded(virtual(engine, asked)));
        }),
        { numRuns: 60 },
      );
    },
  );

  it.each(schedulerNames)(
    'under %s makes every token of a burst when virtual time makes it, however long that is read',
    (name) => {
      // Steps that last longer than it takes to read all, and steps that do not.
      fc.assert(
        fc.property(bursts, fc.constantFrom(0, 0.01), (asked, p1MsPerPrefillToken) => {
          const cost = { ...profile.cost, aMs: 12, cMsPerDecode: 0, p1MsPerPrefillToken };
          const engine: EngineProfile = { ...profile, cost, maxBatchSize: 256, scheduler: { name, settings: {} } };
          expect(rounded(live(engine, asked).made)).toEqual(rounded(virtual(engine, asked)));
        }),
        { numRuns: 20 },
      );
    },
  );

  it('one that is not told lets a request that is read after a step began wait for the next', () => {
    const engine: EngineProfile = { ...profile, cost: { ...profile.cost, aMs: 20, cMsPerDecode: 0 } };
    const lengths = { inputTokens: 1, outputTokens: 3 };
    const told: Read[] = [
      { id: 0, askedMs: 7, arrivalMs: 7, atMs: 7, ...lengths },
      { id: 1, askedMs: 26.5, arrivalMs: 26.5, atMs: 28, ...lengths },
    ];
    const untold = told.map(({ askedMs: _untold, ...ask }) => ({ ...ask, arrivalMs: ask.atMs }));
    const firstTokens = ({ made }: Came): number[] => [...made.values()].map(([first]) => Math.round(first!));
    expect(firstTokens(live(engine, told))).toEqual([27, 47]);
    expect(firstTokens(live(engine, untold))).toEqual([27, 67]);
  });

  const steps20: EngineProfile = { ...profile, cost: { ...profile.cost, aMs: 20, cMsPerDecode: 0 } };

  it('lets a first token leave as much later as its request was sent late, or earlier, and every other one a moment after its step, or later', () => {
    const shifts = fc.array(fc.integer({ min: -900, max: 3000 }), { minLength: 25, maxLength: 25 });
    fc.assert(
      fc.property(asks, shifts, fc.integer({ min: 0, max: 250 }), (asked, shiftsUs, leadUs) => {
        const leadMs = leadUs / 1000;
        const shifted = asked.map((ask, i) => ({ ...ask, lateMs: shiftsUs[i]! / 1000 }));
        const { made, left } = live(steps20, shifted, leadMs);
        const firstOf = (id: number): number => made.get(id)![0]!;
        for (const { id, lateMs, outputTokens } of shifted) {
          const waited = left.get(id)!.map((leftMs, i) => leftMs - made.get(id)![i]! + leadMs);
          const alone =
            outputTokens > 1 && shifted.every((other) => other.id === id || firstOf(other.id) !== firstOf(id));
          // Waking takes some microseconds of this host, and a step has some tokens; a token that goes with others goes half a millisecond
          // earlier or later.
          const firstMs = (Math.abs(lateMs) > 0.05 ? lateMs : 0) + (outputTokens === 1 ? lastMs : 0);
          expect(waited[0]).toBeGreaterThanOrEqual(firstMs - (alone ? 1e-6 : 0.5));
          expect(waited[0]).toBeLessThan(firstMs + (alone ? 0.5 : 1));
          const others = waited.slice(1);
          const lastWaited = others.pop() ?? lastMs;
          expect(lastWaited).toBeGreaterThanOrEqual(lastMs - 0.5);
          // An answer makes up for some of the lateness it began with.
          expect(lastWaited).toBeLessThan(lastMs + Math.max(0, outputTokens === 1 ? 0 : 0.8 * lateMs) + 1);
          // They let first tokens of their step go before, however late these are.
          for (const ms of others) expect(ms).toBeGreaterThanOrEqual(restMs - 1e-6);
          for (const ms of others) expect(ms).toBeLessThan(Math.max(...shiftsUs) / 1000 + restMs + 0.5);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps tokens in their order where steps are shorter than a request was late', () => {
    const quick: EngineProfile = { ...profile, cost: { ...profile.cost, aMs: 1, cMsPerDecode: 0 } };
    const late: Read = {
      id: 0,
      askedMs: 5,
      arrivalMs: 5,
      lateMs: 3,
      atMs: 8,
      inputTokens: 1,
      outputTokens: 4,
    };
    const { made, left } = live(quick, [late]);
    expect(made.get(0)).toEqual(made.get(0)!.toSorted((a, b) => a - b));
    expect(made.get(0)).toHaveLength(4);
    expect(left.get(0)![0]).toBeGreaterThanOrEqual(made.get(0)![1]!);
    expect(left.get(0)![0]).toBeLessThan(left.get(0)![1]!);
  });

  it('tells a token that waited of the whole step that made it', () => {
    const lengths = { inputTokens: 1, outputTokens: 2, arrivalMs: 5, atMs: 6 };
    const three: Read[] = [
      { id: 0, askedMs: 5, ...lengths },
      { id: 1, askedMs: 5, ...lengths, lateMs: 2 },
      { id: 2, askedMs: 5, ...lengths, lateMs: 1 },
    ];
    const { ofTokens, left } = live(steps20, three);
    expect([...ofTokens]).toEqual([0, 2, 1].map((id) => [id, [3, 3]]));
    expect(left.get(1)![0]! - left.get(2)![0]!).toBeCloseTo(1, 1);
  });

  it('begins with a newcomer on time while the token of a late request waits', () => {
    const lengths = { inputTokens: 1, outputTokens: 1 };
    const { made, left } = live(steps20, [
      { id: 0, askedMs: 5, arrivalMs: 5, lateMs: 60, atMs: 6, ...lengths },
      { id: 1, askedMs: 30, arrivalMs: 30, lateMs: 0, atMs: 31, ...lengths },
    ]);
    expect(left.get(1)![0]! - made.get(1)![0]!).toBeLessThan(lastMs + 0.5);
  });

  it('lets nothing leave of a request that is taken out while its token waits', () => {
    const host = new QuietHost();
    const left: number[] = [];
    const pacer = new StepPacer(new EngineCore({ profile: steps20, seed: 1 }), 1, (tokens) =>
      left.push(...tokens.map(({ id }) => id)),
    );
    const ask = { inputTokens: 1, outputTokens: 2, arrivalMs: 5, askedMs: 5 };
    host.at(6, () => pacer.submit({ id: 0, ...ask }));
    host.at(6, () => pacer.submit({ id: 1, ...ask, lateMs: 4 }));
    host.at(28, () => pacer.cancel(1));
    host.run();
    expect(left).toEqual([0, 0]);
  });
});

/** A closed loop: how long asks and answers are, and what hearing an answer, asking again and bringing that took. */
interface Loop {
  concurrency: number;
  asks: { inputTokens: number; outputTokens: number; hearUs: number; turnUs: number; bringUs: number }[];
}

const loops: fc.Arbitrary<Loop> = fc.record({
  concurrency: fc.integer({ min: 1, max: 6 }),
  asks: fc.array(
    fc.record({
      inputTokens: fc.integer({ min: 1, max: 200 }),
      outputTokens: fc.integer({ min: 2, max: 12 }),
      hearUs: fc.integer({ min: 20, max: 1500 }),
      turnUs: fc.integer({ min: 10, max: 2500 }),
      bringUs: fc.integer({ min: 10, max: 1900 }),
    }),
    { minLength: 6, maxLength: 25 },
  ),
});

/** Clients that ask again whenever they have heard an answer, on a quiet host. */
function liveLoop(engine: EngineProfile, { concurrency, asks: all }: Loop): Told {
  const host = new QuietHost();
  const made: Told = new Map();
  let next = 0;
  const ask = (sentMs: number, why: { dueMs: number } | { answeredMs: number }): void => {
    const id = next++;
    const own = all[id];
    if (own === undefined) return;
    host.at(sentMs + own.bringUs / 1000, () => {
      const { inputTokens, outputTokens } = own;
      const { askedMs, takenMs, lateMs } = takenLive(engine, { sentMs, ...why });
      pacer.submit({ id, inputTokens, outputTokens, askedMs, lateMs, arrivalMs: takenMs + 1e-6 * lateMs });
    });
  };
  const pacer = new StepPacer(new EngineCore({ profile: engine, seed: 1 }), 1, (emissions, step) => {
    for (const { id, finished } of emissions) {
      note(made, id, step.endMs);
      if (!finished) continue;
      const { hearUs, turnUs } = all[id]!;
      const heardMs = pacer.nowMs() + hearUs / 1000;
      // A hair for each: a client sends one after the other.
      const sentMs = heardMs + turnUs / 1000 + 1.37e-5 * id;
      host.at(sentMs, () => ask(sentMs, { answeredMs: step.endMs }));
    }
  });
  const dueMs = 1;
  for (let slot = 0; slot < concurrency; slot++) {
    const sentMs = dueMs + slot * 0.07;
    host.at(sentMs, () => ask(sentMs, { dueMs }));
  }
  host.run();
  vi.unstubAllGlobals();
  return made;
}

/** The same plan by `dyno sim`'s own runner; when its client heard tokens. */
async function virtualLoop(engine: EngineProfile, { concurrency, asks: all }: Loop): Promise<Told> {
  const prompts = all.map(({ inputTokens, outputTokens }, i): Prompt => ({
    id: `p${i}`,
    // Found in no prefix cache.
    messages: [{ role: 'user', content: `${i}, `.repeat(100) }],
    text: null,
    labels: {},
    inputTokens,
    maxTokens: outputTokens,
  }));
  const plan = {
    target: { url: 'http://127.0.0.1/', api: 'openai-chat', model: 'm', headers: {}, keyEnv: null, insecure: false },
    generation: { stream: true, maxTokens: null, minTokens: null, ignoreEos: true, stop: [], body: {} },
    load: { kind: 'closed', concurrency, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
    requests: all.length,
    durationMs: null,
    warmup: null,
    timeouts: { connectMs: null, ttftMs: null, readMs: null, totalMs: null },
    seed: 1,
  } as unknown as RunPlan;
  const queue = [...prompts];
  const kit = makeSimRunner({ profile: engine, workload: () => ({ next: () => queue.shift() ?? null }) });
  const never = new AbortController().signal;
  const heard: Told = new Map();
  for await (const { exchange } of kit.run(plan, { sending: never, everything: never }, []))
    heard.set(exchange.seq, exchange.chunks.atMs);
  return heard;
}

describe('an engine that is told which answer a request of a closed loop follows', () => {
  it.each(schedulerNames)(
    'under %s makes every token when dyno sim does, however long its clients take',
    async (name) => {
      const cost = { ...profile.cost, aMs: 12, p1MsPerPrefillToken: 0.1 };
      const engine: EngineProfile = { ...profile, cost, maxBatchSize: 8, scheduler: { name, settings: {} } };
      await fc.assert(
        fc.asyncProperty(loops, async (loop) => {
          const made = liveLoop(engine, loop);
          const heard = await virtualLoop(engine, loop);
          expect([...made.keys()].toSorted((a, b) => a - b)).toEqual(loop.asks.map((_, id) => id));
          // First tokens, last ones and others are heard at other times after their step, each by the same for all.
          const sinceFirst = (told: Told, from: number, to: number): number[] => {
            const times = loop.asks.flatMap((_, id) => told.get(id)!.slice(from, to));
            return times.map((ms) => ms - times[0]!);
          };
          const kinds: [from: number, to: number][] = [
            [0, 1],
            [1, -1],
            [-1, Infinity],
          ];
          for (const [from, to] of kinds) {
            const [seen, meant] = [made, heard].map((told) => sinceFirst(told, from, to));
            expect(seen).toHaveLength(meant!.length);
            // The hairs of those of one moment add up.
            seen!.forEach((ms, i) => expect(Math.abs(ms - meant![i]!)).toBeLessThan(0.001));
          }
        }),
        { numRuns: 60 },
      );
    },
  );
});
