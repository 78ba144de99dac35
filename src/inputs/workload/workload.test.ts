import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Prompt, Workload } from '../../core/index.ts';
import { BrokenPromise } from '../../core/index.ts';
import { fromPrompts, plainPrompt, takeAhead } from './index.ts';

const listOf = (n: number): Prompt[] => Array.from({ length: n }, (_, i) => plainPrompt(`${i}`, `question ${i}`));

async function idsOf(workload: Workload, atMost: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < atMost) {
    const prompt = await workload.next();
    if (prompt === null) break;
    ids.push(prompt.id);
  }
  return ids;
}

/** A source that answers each `next` only when told to. */
function slowSource(prompts: readonly Prompt[]) {
  const inner = fromPrompts(prompts, { offset: 0, cycle: false });
  const pending: (() => void)[] = [];
  let asked = 0;
  return {
    asked: () => asked,
    async release(n: number): Promise<void> {
      for (let i = 0; i < n; i++) {
        pending.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    next(): Promise<Prompt | null> {
      asked += 1;
      return new Promise((resolve) => pending.push(() => resolve(inner.next())));
    },
  };
}

describe('fromPrompts', () => {
  it('gives a list once, from the offset on', async () => {
    expect(await idsOf(fromPrompts(listOf(4), { offset: 1, cycle: false }), 9)).toEqual(['1', '2', '3']);
    expect(await idsOf(fromPrompts(listOf(4), { offset: 4, cycle: false }), 9)).toEqual([]);
  });

  it('cycles, also from an offset past the end', async () => {
    expect(await idsOf(fromPrompts(listOf(3), { offset: 5, cycle: true }), 5)).toEqual(['2', '0', '1', '2', '0']);
    expect(await idsOf(fromPrompts(listOf(1), { offset: 7, cycle: true }), 3)).toEqual(['0', '0', '0']);
  });

  it('of nothing gives nothing, cycled or not', async () => {
    expect(await idsOf(fromPrompts([], { offset: 3, cycle: true }), 5)).toEqual([]);
    expect(await idsOf(fromPrompts([], { offset: 0, cycle: false }), 5)).toEqual([]);
  });

  it('refuses an offset that is no place in a list', () => {
    expect(() => fromPrompts(listOf(3), { offset: -1, cycle: true })).toThrow(BrokenPromise);
    expect(() => fromPrompts(listOf(3), { offset: 0.5, cycle: true })).toThrow(BrokenPromise);
  });

  it('law: a slice that begins where another ended continues it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.nat(100),
        fc.nat(60),
        fc.nat(60),
        async (n, offset, a, b) => {
          const prompts = listOf(n);
          const whole = await idsOf(fromPrompts(prompts, { offset, cycle: true }), a + b);
          const first = await idsOf(fromPrompts(prompts, { offset, cycle: true }), a);
          const second = await idsOf(fromPrompts(prompts, { offset: offset + a, cycle: true }), b);
          expect([...first, ...second]).toEqual(whole);
        },
      ),
      { seed: 20_260_705, numRuns: 50 },
    );
  });
});

describe('takeAhead', () => {
  it('law: order and number are those of the source, whatever the depth and whether it waits or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3000), fc.integer({ min: 1, max: 40 }), fc.boolean(), async (n, ahead, waits) => {
        const plain = fromPrompts(listOf(n), { offset: 0, cycle: false });
        const source: Workload = waits ? { next: async () => plain.next() } : plain;
        expect(await idsOf(takeAhead(source, ahead), Infinity)).toEqual(listOf(n).map((p) => p.id));
      }),
      { seed: 20_260_706, numRuns: 25 },
    );
  });

  it('answers without a promise when a prompt is in stock', async () => {
    const source = slowSource(listOf(10));
    const workload = takeAhead(source, 3);
    await source.release(3);
    await workload.ready();
    expect(workload.next()).toMatchObject({ id: '0' });
    expect(workload.next()).toMatchObject({ id: '1' });
    expect(workload.next()).toMatchObject({ id: '2' });
    const late = workload.next();
    expect(late).toBeInstanceOf(Promise);
    await source.release(1);
    expect(await late).toMatchObject({ id: '3' });
  });

  it('reads no further ahead than told, and goes on as prompts are taken', async () => {
    const source = slowSource(listOf(10));
    const workload = takeAhead(source, 3);
    await source.release(9);
    expect(source.asked()).toBe(3);
    void workload.next();
    await source.release(9);
    expect(source.asked()).toBe(4);
  });

  it('gives a waiting caller the first prompt, not a full stock', async () => {
    const source = slowSource(listOf(10));
    const first = takeAhead(source, 5).next();
    await source.release(1);
    expect(await first).toMatchObject({ id: '0' });
  });

  it('is ready when the source ends early, and then gives null for ever', async () => {
    const workload = takeAhead(fromPrompts(listOf(1), { offset: 0, cycle: false }), 5);
    await workload.ready();
    expect(workload.next()).toMatchObject({ id: '0' });
    expect(workload.next()).toBeNull();
    expect(workload.next()).toBeNull();
  });

  it('keeps a failure for its place, and says it before anything is sent when asked whether it is ready', async () => {
    const plain = fromPrompts(listOf(2), { offset: 0, cycle: false });
    const workload = takeAhead(
      {
        async next() {
          const prompt = plain.next();
          if (prompt === null) throw new Error('line 3 is broken');
          return prompt;
        },
      },
      5,
    );
    await expect(workload.ready()).rejects.toThrow('line 3 is broken');
    expect(workload.next()).toMatchObject({ id: '0' });
    expect(workload.next()).toMatchObject({ id: '1' });
    expect(() => workload.next()).toThrow('line 3 is broken');
    expect(() => workload.next()).toThrow('line 3 is broken');
  });
});
