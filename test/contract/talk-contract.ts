import { describe, expect, test } from 'vitest';
import { isDue, makePacer } from '../../src/inputs/arrival/index.ts';
import type { Exchange, LoadShape, Runner, RunPlan } from '../../src/core/index.ts';
import { talkThinkMs } from './contract-talks.ts';
import { mostAtOnce } from './most-at-once.ts';
import { smallPlan } from './runner-contract.ts';

const never = { drain: new AbortController().signal, cancel: new AbortController().signal };
const sessions: LoadShape = {
  kind: 'open',
  concurrency: null,
  ratePerSec: 100,
  arrival: { process: 'poisson' },
  sessions: true,
  dropLate: false,
};
/** The first 20 turns: conversations of 3, 1, 4, 2, 5, 1, 3 turns make 19, and one of the next. */
const firstTwenty = '0 0#2 0#3 1 2 2#2 2#3 2#4 3 3#2 4 4#2 4#3 4#4 4#5 5 6 6#2 6#3 7'
  .split(' ')
  .map((name) => `talk-${name}`);

/** The laws of conversations that every runner keeps; each asks talkWorkload. */
export function talkContract(name: string, makeKit: () => Promise<Runner>, url: () => string): void {
  const collect = async (change: Partial<RunPlan>): Promise<Exchange[]> => {
    const exchanges: Exchange[] = [];
    const runner = await makeKit();
    for await (const { exchange } of runner.run(smallPlan(url(), { requests: 20, ...change }), never, [])) {
      exchanges.push(exchange);
    }
    return exchanges;
  };
  const bySession = (exchanges: readonly Exchange[]): Exchange[][] => {
    const talks = new Map<string, Exchange[]>();
    for (const exchange of exchanges.toSorted((a, b) => Number(a.labels['turn']) - Number(b.labels['turn']))) {
      const session = exchange.labels['session']!;
      talks.set(session, [...(talks.get(session) ?? []), exchange]);
    }
    return [...talks.values()];
  };

  describe(`conversations: ${name}`, () => {
    test('a closed loop asks the first turns of the plan, each once, whatever the timing', async () => {
      const exchanges = await collect({ load: { ...smallPlan(url()).load, concurrency: 4 } });
      expect(exchanges.map(({ promptId }) => promptId).toSorted()).toEqual(firstTwenty.toSorted());
      expect(exchanges.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, i) => i),
      );
      expect(exchanges.every(({ outcome }) => outcome === 'ok')).toBe(true);
    });

    test('a turn comes after the answer before it and the thinking', async () => {
      for (const load of [{ ...smallPlan(url()).load, concurrency: 4 }, sessions]) {
        for (const turns of bySession(await collect({ load }))) {
          for (const [i, turn] of turns.slice(1).entries()) {
            // Sums of milliseconds are a hair off.
            expect(turn.sentMs! - turns[i]!.endMs + 1e-9).toBeGreaterThanOrEqual(talkThinkMs);
          }
        }
      }
    });

    test('in a closed loop no more users are there than slots, thinking ones included', async () => {
      const load = { ...smallPlan(url()).load, concurrency: 3 };
      let most = 0;
      // As for single asks: more of them, until a busy machine has let everyone in.
      for (let requests = 20; most < 3 && requests <= 2000; requests *= 10) {
        const talks = bySession(await collect({ load, requests }));
        most = mostAtOnce(talks.map((turns) => [turns[0]!.sentMs!, turns.at(-1)!.endMs]));
        expect(most).toBeLessThanOrEqual(3);
      }
      expect(most).toBe(3);
    });

    test('by sessions, conversations begin as the process says and later turns are due when the user has thought', async () => {
      const talks = bySession(await collect({ load: sessions }));
      expect(
        talks
          .flat()
          .map(({ promptId }) => promptId)
          .toSorted(),
      ).toEqual(firstTwenty.toSorted());
      const pacer = makePacer(sessions, { requests: null, durationMs: null }, 3);
      const planned = Array.from({ length: talks.length }, () => {
        const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
        return isDue(pacing) ? pacing.atMs : Number.NaN;
      });
      const begun = talks.map((turns) => turns[0]!.dueMs).toSorted((a, b) => a - b);
      for (const [i, due] of begun.entries()) expect(due - begun[0]!).toBeCloseTo(planned[i]! - planned[0]!, 6);
      for (const turns of talks) {
        for (const [i, turn] of turns.slice(1).entries()) {
          expect(turn.dueMs - turns[i]!.endMs).toBeCloseTo(talkThinkMs, 6);
        }
      }
    });

    test('at a rate of requests every ask is a turn that was ready, else a new conversation', async () => {
      const { sessions: _, ...byRequests } = sessions;
      const exchanges = await collect({ load: byRequests });
      expect(exchanges).toHaveLength(20);
      for (const turns of bySession(exchanges)) {
        expect(turns.map(({ labels }) => labels['turn'])).toEqual(turns.map((__, i) => String(i + 1)));
      }
    });

    test('a duration ends them: nothing comes due after it', async () => {
      const exchanges = await collect({ load: sessions, requests: null, durationMs: 120 });
      const firstMs = Math.min(...exchanges.map(({ dueMs }) => dueMs));
      expect(exchanges.length).toBeGreaterThan(5);
      expect(Math.max(...exchanges.map(({ dueMs }) => dueMs)) - firstMs).toBeLessThan(120);
    });
  });
}
