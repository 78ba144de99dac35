// Requests of which the engine is told when they were due: what the host takes to bring them decides nothing.
import { request } from 'node:http';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dueHeader } from '../core/index.ts';
import { EngineCore, schedulerNames, untilTakenLiveMs, wakeMsAfter } from '../sim/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import { chat, profile, start, stopAll } from './plain-client.ts';
import type { Arriving } from './step-pacer.ts';
import { mostLateMs, StepPacer } from './step-pacer.ts';
import { ToldDue } from './told-due.ts';

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

/** By request: when each of its tokens came out. */
type Told = Map<number, number[]>;

const note = (told: Told, id: number, atMs: number): void => void told.set(id, [...(told.get(id) ?? []), atMs]);

/** A request, and when it is read. */
interface Read extends Arriving {
  atMs: number;
}

function live(engine: EngineProfile, asked: readonly Read[]): Told {
  const host = new QuietHost();
  const told: Told = new Map();
  const pacer = new StepPacer(new EngineCore({ profile: engine, seed: 1 }), 1, (emissions, step) => {
    for (const { id } of emissions) note(told, id, step.endMs);
  });
  for (const { atMs, ...read } of asked) host.at(atMs, () => pacer.submit(read));
  host.run();
  vi.unstubAllGlobals();
  return told;
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
    if (core.step === null) core.beginStep(next.arrivalMs + wakeMsAfter(next.dueMs! - core.restsSinceMs));
  }
  return told;
}

const asks = fc
  .array(
    fc.record({
      gapUs: fc.integer({ min: 1, max: 60_000 }),
      lateUs: fc.integer({ min: 10, max: 4900 }),
      inputTokens: fc.integer({ min: 1, max: 200 }),
      outputTokens: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((list): Read[] => {
    let dueMs = 1;
    return list.map(({ gapUs, lateUs, inputTokens, outputTokens }, id) => {
      // A hair for each beside the microseconds: who arrives at the very moment a step ends may fall on either side.
      dueMs += gapUs / 1000 + 1.37e-5;
      const arrivalMs = dueMs + untilTakenLiveMs(profile);
      return { id, dueMs, arrivalMs, atMs: dueMs + lateUs / 1000, inputTokens, outputTokens };
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
          expect(rounded(live(engine, asked))).toEqual(rounded(virtual(engine, asked)));
        }),
        { numRuns: 60 },
      );
    },
  );

  it('one that is not told lets a request that is read after a step began wait for the next', () => {
    const engine: EngineProfile = { ...profile, cost: { ...profile.cost, aMs: 20, cMsPerDecode: 0 } };
    const lengths = { inputTokens: 1, outputTokens: 3 };
    const told: Read[] = [
      { id: 0, dueMs: 7, arrivalMs: 7, atMs: 7, ...lengths },
      { id: 1, dueMs: 26.5, arrivalMs: 26.5, atMs: 28, ...lengths },
    ];
    const untold = told.map(({ dueMs: _untold, ...ask }) => ({ ...ask, arrivalMs: ask.atMs }));
    const firstTokens = (answers: Told): number[] => [...answers.values()].map(([first]) => Math.round(first!));
    expect(firstTokens(live(engine, told))).toEqual([27, 47]);
    expect(firstTokens(live(engine, untold))).toEqual([27, 67]);
  });
});

describe('what a client tells', () => {
  const toldDue = (): ToldDue => new ToldDue({ simulatedMs: (ms) => 2 * (ms - 1000) });

  it('is believed where the request was due within the last milliseconds', () => {
    expect(toldDue().dueMs('1005.5', 12)).toBe(11);
    expect(toldDue().dueMs('1005.5', 11)).toBe(11);
    expect(toldDue().dueMs('1005.5', 11 + 2 * mostLateMs)).toBe(11);
  });

  it('is no news where it is of the future, long past, or no moment at all', () => {
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
    for (const told of none) expect(toldDue().dueMs(told, 12)).toBeNull();
  });

  it('tells those due at one moment apart by a hair, in the order they are read', () => {
    const due = toldDue();
    const [a, b, c, later] = ['1005', '1005', '1005', '1005.5'].map((told) => due.dueMs(told, 12)!);
    expect(a).toBe(10);
    expect(b).toBeGreaterThan(a!);
    expect(c).toBeGreaterThan(b!);
    expect(c).toBeCloseTo(10, 3);
    expect(later).toBe(11);
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
    expect(submit.mock.lastCall![0]).not.toHaveProperty('dueMs');
    // As a client of another host, whose clock began elsewhere.
    await ask({ [dueHeader]: '12.5' });
    expect(submit.mock.lastCall![0]).not.toHaveProperty('dueMs');
    // A busy host may take longer to bring one of them.
    await vi.waitFor(async () => {
      await ask({ [dueHeader]: String(Number(process.hrtime.bigint()) / 1e6) });
      const { dueMs, arrivalMs } = submit.mock.lastCall![0];
      expect(arrivalMs - dueMs!).toBeCloseTo(untilTakenLiveMs(profile), 6);
    }, 60_000);
  });
});
