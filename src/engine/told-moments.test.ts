// Requests of which the engine is told when they were sent and due: what the host takes to bring them decides nothing.
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dueHeader, sentHeader } from '../core/index.ts';
import { EngineCore, schedulerNames, takenLive, wakeMsAfter } from '../sim/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import { chat, profile, start, stopAll } from './plain-client.ts';
import type { Arriving, Emit } from './step-pacer.ts';
import { mostLateMs, StepPacer } from './step-pacer.ts';
import { ToldMoments } from './told-moments.ts';

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await stopAll();
});

/** A host whose clock moves only when somebody waits or looks at it. */
class QuietHost {
  #nowMs = 0;
  #timers: { atMs: number; act: () => void }[] = [];
  #immediates: (() => void)[] = [];

  constructor() {
    vi.stubGlobal('process', { ...process, hrtime: { bigint: () => this.#readNs() } });
    vi.stubGlobal('Atomics', {
      wait: (_array: unknown, _index: number, _value: number, ms: number) => (this.#nowMs += ms),
    });
    vi.stubGlobal('setTimeout', (act: () => void, ms: number) => this.at(this.#nowMs + ms, act));
    vi.stubGlobal('clearTimeout', (timer: unknown) => (this.#timers = this.#timers.filter((other) => other !== timer)));
    vi.stubGlobal('setImmediate', (act: () => void) => (this.#immediates.push(act), act));
    vi.stubGlobal('clearImmediate', (act: unknown) => {
      this.#immediates = this.#immediates.filter((other) => other !== act);
    });
  }

  /** Whoever looks at the clock again and again must see it move. */
  #readNs(): bigint {
    this.#nowMs += 0.001;
    return BigInt(Math.round(this.#nowMs * 1e6));
  }

  at(atMs: number, act: () => void): { atMs: number; act: () => void } {
    const timer = { atMs, act };
    this.#timers.push(timer);
    return timer;
  }

  /** Until nothing is left to happen. */
  run(): void {
    while (this.#timers.length + this.#immediates.length > 0) {
      const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs).toSorted((a, b) => a.atMs - b.atMs);
      this.#timers = this.#timers.filter((timer) => !due.includes(timer));
      for (const { act } of due) act();
      for (const act of this.#immediates.splice(0)) act();
      if (due.length === 0 && this.#immediates.length === 0 && this.#timers.length > 0)
        this.#nowMs = Math.max(this.#nowMs, Math.min(...this.#timers.map(({ atMs }) => atMs)));
    }
  }
}

/** By request: a moment of each of its tokens. */
type Told = Map<number, number[]>;

const note = (told: Told, id: number, atMs: number): void => void told.set(id, [...(told.get(id) ?? []), atMs]);

/** What came of requests: when the steps ended that made their tokens, when these left, and of how many tokens each step was said to be. */
interface Came {
  made: Told;
  left: Told;
  ofTokens: Told;
}

/** A request, and when it is read. */
interface Read extends Arriving {
  atMs: number;
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
  const pacer = new StepPacer(new EngineCore({ profile: engine, seed: 1 }), 1, emit, { ms: leadMs });
  for (const { atMs, ...read } of asked) host.at(atMs, () => pacer.submit(read));
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
    if (core.step === null)
      core.beginStep(next.arrivalMs + wakeMsAfter((next.told!.dueMs ?? next.told!.sentMs) - core.restsSinceMs));
  }
  return told;
}

const asks = fc
  .array(
    fc.record({
      gapUs: fc.integer({ min: 1, max: 60_000 }),
      sentUs: fc.integer({ min: 0, max: 3000 }),
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
      const told = { dueMs, sentMs: dueMs + sentUs / 1000 };
      const { takenMs: arrivalMs, lateMs } = takenLive(profile, told);
      return { id, told, arrivalMs, lateMs, atMs: told.sentMs + bringUs / 1000, inputTokens, outputTokens };
    });
  });

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

  it('one that is not told lets a request that is read after a step began wait for the next', () => {
    const engine: EngineProfile = { ...profile, cost: { ...profile.cost, aMs: 20, cMsPerDecode: 0 } };
    const lengths = { inputTokens: 1, outputTokens: 3 };
    const told: Read[] = [
      { id: 0, told: { dueMs: 7, sentMs: 7 }, arrivalMs: 7, atMs: 7, ...lengths },
      { id: 1, told: { dueMs: 26.5, sentMs: 26.5 }, arrivalMs: 26.5, atMs: 28, ...lengths },
    ];
    const untold = told.map(({ told: _untold, ...ask }) => ({ ...ask, arrivalMs: ask.atMs }));
    const firstTokens = ({ made }: Came): number[] => [...made.values()].map(([first]) => Math.round(first!));
    expect(firstTokens(live(engine, told))).toEqual([27, 47]);
    expect(firstTokens(live(engine, untold))).toEqual([27, 67]);
  });

  const steps20: EngineProfile = { ...profile, cost: { ...profile.cost, aMs: 20, cMsPerDecode: 0 } };

  it('lets a first token leave as much later as its request was sent late, and no other', () => {
    fc.assert(
      fc.property(asks, fc.integer({ min: 0, max: 250 }), (asked, leadUs) => {
        const leadMs = leadUs / 1000;
        const { made, left } = live(steps20, asked, leadMs);
        for (const { id, lateMs } of asked) {
          const waited = left.get(id)!.map((leftMs, i) => leftMs - made.get(id)![i]! + leadMs);
          // Waking takes some microseconds of this host, and a step has some tokens.
          const [first, ...others] = waited;
          expect(first).toBeGreaterThanOrEqual(lateMs! > 0.05 ? lateMs! : 0);
          expect(first).toBeLessThan(lateMs! + 0.3);
          for (const ms of others) expect(ms).toBeGreaterThanOrEqual(0);
          for (const ms of others) expect(ms).toBeLessThan(0.3);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps tokens in their order where steps are shorter than a request was late', () => {
    const quick: EngineProfile = { ...profile, cost: { ...profile.cost, aMs: 1, cMsPerDecode: 0 } };
    const late: Read = {
      id: 0,
      told: { dueMs: 5, sentMs: 8 },
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
    const told = { dueMs: 5, sentMs: 5 };
    const three: Read[] = [
      { id: 0, told, ...lengths },
      { id: 1, told, ...lengths, lateMs: 2 },
      { id: 2, told, ...lengths, lateMs: 1 },
    ];
    const { ofTokens, left } = live(steps20, three);
    expect([...ofTokens]).toEqual([0, 2, 1].map((id) => [id, [3, 3]]));
    expect(left.get(1)![0]! - left.get(2)![0]!).toBeCloseTo(1, 1);
  });

  it('lets nothing leave of a request that is taken out while its token waits', () => {
    const host = new QuietHost();
    const left: number[] = [];
    const pacer = new StepPacer(new EngineCore({ profile: steps20, seed: 1 }), 1, (tokens) =>
      left.push(...tokens.map(({ id }) => id)),
    );
    const ask = { inputTokens: 1, outputTokens: 2, arrivalMs: 5, told: { dueMs: 5, sentMs: 5 } };
    host.at(6, () => pacer.submit({ id: 0, ...ask }));
    host.at(6, () => pacer.submit({ id: 1, ...ask, lateMs: 4 }));
    host.at(28, () => pacer.cancel(1));
    host.run();
    expect(left).toEqual([0, 0]);
  });
});

describe('what a client tells', () => {
  const moments = (): ToldMoments => new ToldMoments({ simulatedMs: (ms) => 2 * (ms - 1000) });
  const sent = (told: unknown): IncomingHttpHeaders => ({ [sentHeader]: told as string });
  const due = (told: unknown, sentAt = '1005.5'): IncomingHttpHeaders => ({
    ...sent(sentAt),
    [dueHeader]: told as string,
  });

  it('is believed where the request was sent, or due, within the last milliseconds', () => {
    expect(moments().of(sent('1005.5'), 12)).toEqual({ sentMs: 11, dueMs: null });
    expect(moments().of(sent('1005.5'), 11)).toEqual({ sentMs: 11, dueMs: null });
    expect(moments().of(sent('1005.5'), 11 + 2 * mostLateMs)).toEqual({ sentMs: 11, dueMs: null });
    expect(moments().of(due('1005.25'), 12)).toEqual({ sentMs: 11, dueMs: 10.5 });
  });

  const none = [
    undefined,
    '',
    'soon',
    'NaN',
    '-Infinity',
    '1e999',
    '1006.1',
    String(1006 - 1.01 * mostLateMs),
    ['1005.5'],
  ];

  it('is no news where it is of the future, long past, or no moment at all', () => {
    for (const told of none) expect(moments().of(sent(told), 12)).toBeNull();
    expect(moments().of({ [dueHeader]: '1005.5' }, 12)).toBeNull();
  });

  it('says nothing of when it was due where that is not to be believed, or after it was sent', () => {
    for (const told of [...none, '1005.75']) expect(moments().of(due(told), 12)).toEqual({ sentMs: 11, dueMs: null });
  });

  it('tells those due at one moment apart by a hair, in the order they are read', () => {
    const all = moments();
    const [a, b, c, later] = ['1005', '1005', '1005', '1005.5'].map((told) => all.of(due(told), 12)!.dueMs!);
    expect(a).toBe(10);
    expect(b).toBeGreaterThan(a!);
    expect(c).toBeGreaterThan(b!);
    expect(c).toBeCloseTo(10, 3);
    expect(later).toBe(11);
  });

  it('is that a request was sent late by what it was longer than usual', () => {
    const usualMs =
      takenLive(profile, { dueMs: 0, sentMs: 0 }).takenMs - takenLive(profile, { dueMs: null, sentMs: 0 }).takenMs;
    expect(usualMs).toBeGreaterThan(0);
    expect(takenLive(profile, { dueMs: 3, sentMs: 3 + usualMs / 2 }).lateMs).toBeCloseTo(0, 9);
    expect(takenLive(profile, { dueMs: 3, sentMs: 5 + usualMs / 2 }).lateMs).toBeCloseTo(2, 9);
    expect(takenLive(profile, { dueMs: 3, sentMs: 3 }).lateMs).toBe(0);
    expect(takenLive(profile, { dueMs: null, sentMs: 3 }).lateMs).toBe(0);
  });

  it('reaches the pacer, and only where it was told', async () => {
    const submit = vi.spyOn(StepPacer.prototype, 'submit');
    const engine = await start({ speed: 1 });
    const ask = (headers: Record<string, string>): Promise<void> =>
      new Promise((resolve) => {
        const req = request(`${engine.url}/v1/chat/completions`, { method: 'POST', headers }, (res) => {
          res.on('end', resolve).resume();
        });
        req.end(JSON.stringify(chat({ max_tokens: 1 })));
      });
    await ask({});
    expect(submit.mock.lastCall![0]).not.toHaveProperty('told');
    // As a client of another host, whose clock began elsewhere.
    await ask({ [sentHeader]: '12.5', [dueHeader]: '12.5' });
    expect(submit.mock.lastCall![0]).not.toHaveProperty('told');
    // A busy host may take longer to bring one of them.
    await vi.waitFor(async () => {
      const nowMs = String(Number(process.hrtime.bigint()) / 1e6);
      await ask({ [sentHeader]: nowMs, [dueHeader]: nowMs });
      const { told, arrivalMs } = submit.mock.lastCall![0];
      expect(arrivalMs).toBeCloseTo(takenLive(profile, told!).takenMs, 6);
      expect(told!.dueMs).toBeCloseTo(told!.sentMs, 6);
    }, 60_000);
  });
});
