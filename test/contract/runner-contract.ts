import { describe, expect, test } from 'vitest';
import type { Ended, Exchange, Runner, RunPlan, StopRule } from '../../src/core/index.ts';
import { makePacer } from '../../src/inputs/arrival/index.ts';
import { fromPrompts } from '../../src/inputs/workload/index.ts';
import { contractPrompts } from './contract-prompts.ts';
import { mostAtOnce } from './most-at-once.ts';
import { smallPlan } from './small-plan.ts';

export { smallPlan } from './small-plan.ts';

/** Makes a runner that answers quickly; prompts come from `workload`. */
export type MakeRunner = (workload: (phase: 'warmup' | 'measure') => ReturnType<typeof fromPrompts>) => Promise<Runner>;

const open = (ratePerSec: number, concurrency: number | null, dropLate: boolean): RunPlan['load'] => ({
  kind: 'open',
  concurrency,
  ratePerSec,
  arrival: { process: 'poisson' },
  dropLate,
});

/** So many that no machine has sent them all before word of the first answers has come round. */
const many = 4000;

interface Collected {
  all: Ended[];
  measured: Exchange[];
}

/** The laws that every runner keeps, whoever answers: sockets, virtual time, or machines elsewhere. */
export function runnerContract(
  name: string,
  makeKit: MakeRunner,
  url: () => string,
  options: { rulesLag?: boolean } = {},
): void {
  const collect = async (
    change: Partial<RunPlan>,
    use: { rules?: StopRule[]; onEnded?: (ended: Ended, n: number, stop: Controllers) => void } = {},
  ): Promise<Collected> => {
    const stop: Controllers = { drain: new AbortController(), cancel: new AbortController() };
    const offset = { measure: 0, warmup: 25 };
    const runner = await makeKit((phase) => fromPrompts(contractPrompts, { offset: offset[phase], cycle: true }));
    const all: Ended[] = [];
    const stops = { drain: stop.drain.signal, cancel: stop.cancel.signal };
    for await (const ended of runner.run(smallPlan(url(), change), stops, use.rules ?? [])) {
      all.push(ended);
      use.onEnded?.(ended, all.length, stop);
    }
    return { all, measured: all.map(({ exchange }) => exchange).filter(({ warmup }) => !warmup) };
  };

  describe(`the runner contract: ${name}`, () => {
    test('every planned request comes out exactly once', async () => {
      const { measured } = await collect({});
      expect(measured.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
      expect(measured.filter(({ outcome }) => outcome === 'ok')).toHaveLength(60);
    });

    test('times are causal: due, sent, first byte, output in order, end', async () => {
      const { all } = await collect({ warmup: { requests: 5 } });
      const wrong = all.filter(({ exchange: x }) => {
        const times = [x.dueMs, x.sentMs!, x.firstByteMs!, ...x.chunks.atMs, x.endMs];
        return times.some((time, i) => !Number.isFinite(time) || (i > 0 && time < times[i - 1]!));
      });
      expect(wrong).toEqual([]);
    });

    test('exchanges come out in the order they end', async () => {
      const { measured } = await collect({});
      expect(measured.map(({ endMs }) => endMs)).toEqual(measured.map(({ endMs }) => endMs).toSorted((a, b) => a - b));
    });

    test('streamed output is told token by token, and the tokens are as many as the server says', async () => {
      const { measured } = await collect({ requests: 10 });
      for (const { chunks, outputTokens } of measured) {
        expect(chunks.tokens.reduce((sum, count) => sum + count, 0)).toBe(8);
        expect(chunks.kinds).toHaveLength(chunks.atMs.length);
        expect(outputTokens.server).toBe(8);
      }
    });

    test('an answer that is not streamed has no times of tokens', async () => {
      const base = smallPlan(url());
      const { measured } = await collect({ requests: 10, generation: { ...base.generation, stream: false } });
      expect(measured.every(({ chunks, outcome }) => chunks.atMs.length === 0 && outcome === 'ok')).toBe(true);
      expect(measured.every(({ outputTokens }) => outputTokens.server === 8)).toBe(true);
    });

    test('a closed loop is never above its concurrency, and back at it as long as asks are left', async () => {
      let most = 0;
      // Where threads share the asks, one that a busy machine lets in late may find none left: more asks, until all had some.
      for (let requests = 80; most < 8 && requests <= 8000; requests *= 10) {
        const { measured } = await collect({ requests });
        most = mostAtOnce(measured.map(({ sentMs, endMs }) => [sentMs!, endMs]));
        const sends = measured.map(({ sentMs }) => sentMs!).toSorted((a, b) => a - b);
        const ends = measured.map(({ endMs }) => endMs).toSorted((a, b) => a - b);
        // The (8 + k)-th ask leaves when the k-th ends, not before.
        expect(sends.slice(8).filter((sent, k) => sent < ends[k]!)).toEqual([]);
      }
      expect(most).toBe(8);
    });

    test('a warm-up that leaves slots free is drained before measuring starts, is marked, and asks other prompts', async () => {
      const { all, measured } = await collect({ warmup: { requests: 7 }, requests: 20 });
      const warm = all.map(({ exchange }) => exchange).filter(({ warmup }) => warmup);
      expect([warm.length, measured.length]).toEqual([7, 20]);
      const lastWarm = Math.max(...warm.map(({ endMs }) => endMs));
      expect(Math.min(...measured.map(({ dueMs }) => dueMs))).toBeGreaterThanOrEqual(lastWarm);
      expect(measured.map(({ promptId }) => promptId)).toContain('p0');
      expect(warm.map(({ promptId }) => promptId)).toContain('p25');
    });

    test('a warm-up that fills every slot of a closed loop may hand them over: never more in flight, and none is due before one is free', async () => {
      const { all, measured } = await collect({ warmup: { requests: 30 }, requests: 40 });
      const warm = all.map(({ exchange }) => exchange).filter(({ warmup }) => warmup);
      expect([warm.length, measured.length]).toEqual([30, 40]);
      expect(mostAtOnce(all.map(({ exchange: { sentMs, endMs } }) => [sentMs!, endMs]))).toBeLessThanOrEqual(8);
      const ends = all.map(({ exchange }) => exchange.endMs).toSorted((a, b) => a - b);
      const dues = measured.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b);
      // Of the 70, measured request k takes the slot of the (23 + k)-th to end, or of a later one where the warm-up is drained.
      expect(dues.filter((due, k) => due < ends[22 + k]!)).toEqual([]);
    });

    test('the same plan and seed ask the same prompts at the same due times', async () => {
      const change = { load: open(200, null, false), requests: 40 };
      const [first, second] = [await collect(change), await collect(change)];
      const asks = ({ measured }: Collected): unknown[] =>
        measured.toSorted((a, b) => a.seq - b.seq).map(({ seq, promptId }) => [seq, promptId]);
      const gaps = ({ measured }: Collected): number[] => {
        const dues = measured.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b);
        return dues.map((due) => due - dues[0]!);
      };
      expect(asks(first)).toEqual(asks(second));
      for (const [i, gap] of gaps(first).entries()) expect(gap).toBeCloseTo(gaps(second)[i]!, 6);
    });

    test('an open loop comes due exactly as the pacer says', async () => {
      const load = open(300, null, false);
      const { measured } = await collect({ load, requests: 30 });
      const pacer = makePacer(load, { requests: 30, durationMs: null }, 3);
      const expected = Array.from(
        { length: 30 },
        () => (pacer.next({ sent: 0, inFlight: 0, nowMs: 0 }) as { atMs: number }).atMs,
      );
      const dues = measured.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b);
      for (const [i, due] of dues.entries()) expect(due - dues[0]!).toBeCloseTo(expected[i]! - expected[0]!, 6);
    });

    test('above the cap asks are sent late, in order, and never more than the cap are in flight', async () => {
      const { measured } = await collect({ load: open(2000, 2, false), requests: 40 });
      expect(measured.filter(({ outcome }) => outcome === 'ok')).toHaveLength(40);
      expect(measured.some(({ sentMs, dueMs }) => sentMs! - dueMs > 1)).toBe(true);
      const bySeq = measured.toSorted((a, b) => a.sentMs! - b.sentMs!);
      const ends = measured.map(({ endMs }) => endMs).toSorted((a, b) => a - b);
      expect(bySeq.slice(2).filter(({ sentMs }, k) => sentMs! < ends[k]!)).toEqual([]);
    });

    test('or are dropped when told so, and counted as dropped', async () => {
      const { measured } = await collect({ load: open(2000, 2, true), requests: 40 });
      const dropped = measured.filter(({ outcome }) => outcome === 'dropped');
      expect(dropped.length).toBeGreaterThan(0);
      expect(dropped.every(({ sentMs, problem }) => sentMs === null && problem?.code === 'dropped-late')).toBe(true);
      expect(measured).toHaveLength(40);
    });

    test('a duration ends the sending, and what came due is all accounted for', async () => {
      let came = 0;
      // On a busy machine nobody may be answered in a short time, and then nobody is asked a second time.
      for (let durationMs = 300; came <= 8 && durationMs <= 30_000; durationMs *= 4) {
        const { measured } = await collect({ requests: null, durationMs });
        came = measured.length;
        expect(measured.every(({ outcome }) => outcome === 'ok')).toBe(true);
        const begun = Math.min(...measured.map(({ dueMs }) => dueMs));
        expect(Math.max(...measured.map(({ dueMs }) => dueMs))).toBeLessThan(begun + durationMs);
      }
      expect(came).toBeGreaterThan(8);
    });

    test('told to stop sending it drains; what was not sent comes out as cancelled', async () => {
      const { measured } = await collect(
        { requests: many },
        { onEnded: (_, n, stop) => n === 10 && stop.drain.abort() },
      );
      expect(measured).toHaveLength(many);
      const unsent = measured.filter(({ problem }) => problem?.code === 'not-sent');
      expect(unsent.length).toBeGreaterThan(0);
      expect(unsent.every(({ outcome, sentMs }) => outcome === 'cancelled' && sentMs === null)).toBe(true);
      expect(measured.filter(({ outcome }) => outcome === 'ok')).toHaveLength(many - unsent.length);
    });

    test('told to stop everything it cancels what is in flight', async () => {
      const long = { ...smallPlan(url()).generation, maxTokens: 4000 };
      const { measured } = await collect(
        { generation: long, load: open(500, 16, true), requests: 60 },
        // The first dropped ask comes while its thread has all its slots in use; of other threads some may still be free.
        { onEnded: (_, n, stop) => n === 1 && stop.cancel.abort() },
      );
      const causes = (code: string): Exchange[] => measured.filter(({ problem }) => problem?.code === code);
      const sent = measured.filter(({ sentMs }) => sentMs !== null);
      expect(causes('cancelled')).toEqual(sent);
      expect(sent.length).toBeGreaterThanOrEqual(4);
      expect(sent.length).toBeLessThanOrEqual(16);
      expect(causes('dropped-late').length + causes('not-sent').length).toBe(60 - sent.length);
    });

    test('a stop rule stops the sending', async () => {
      const rule: StopRule = (state) => (state.ok >= 15 ? 'stop-sending' : 'go');
      const { measured } = await collect({ requests: many }, { rules: [rule] });
      expect(measured).toHaveLength(many);
      const ok = measured.filter(({ outcome }) => outcome === 'ok').length;
      expect(ok).toBeGreaterThanOrEqual(15);
      // What was in flight drains; a runner whose rules hear of ends late sends some more, but stops long before the end.
      expect(ok).toBeLessThanOrEqual(options.rulesLag === true ? many / 2 : 15 + 8);
    });

    test('a request past its total timeout fails with that cause and frees its slot', async () => {
      const base = smallPlan(url());
      const { measured } = await collect({
        requests: 24,
        generation: { ...base.generation, maxTokens: 4000 },
        timeouts: { ...base.timeouts, totalMs: 120 },
      });
      expect(measured).toHaveLength(24);
      expect(new Set(measured.map(({ outcome, problem }) => `${outcome} ${problem?.code}`))).toEqual(
        new Set(['failed timeout-total']),
      );
    });
  });
}

interface Controllers {
  drain: AbortController;
  cancel: AbortController;
}
