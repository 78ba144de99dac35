import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { parseSlo } from '../../results/measure/index.ts';
import { findMax } from './find-max.ts';
import type { Found, Probe } from './find-max.ts';

/** Plays a search against a truth with noise; gives the answer and how many looks it took. */
function search(
  truth: (load: number) => Record<string, number>,
  options: {
    least: number;
    most: number;
    whole: boolean;
    noise: number;
    slos: string[];
    seed?: number;
    budget?: number;
  },
): { found: Found; looks: number } {
  const random = randomStream(options.seed ?? 1, 'noise of looks');
  const probes: Probe[] = [];
  const question = {
    slos: options.slos.map(parseSlo),
    least: options.least,
    most: options.most,
    whole: options.whole,
    budget: options.budget ?? 16,
    tolerance: 0.04,
    confirmRuns: 2,
  };
  for (;;) {
    const step = findMax(question, probes);
    if (step.kind === 'found') return { found: step, looks: probes.length };
    const figures = Object.fromEntries(
      Object.entries(truth(step.load)).map(([word, value]) => [
        word,
        value * Math.exp(options.noise * random.normal()),
      ]),
    );
    probes.push({ load: step.load, figures, fresh: step.fresh });
  }
}

describe('the largest load under SLOs', () => {
  test('concurrency, without noise: at most 4 % below the truth, never above', () => {
    const { found } = search((load) => ({ 'tpot.mean': 12 + 0.1 * load }), {
      least: 1,
      most: 1000,
      whole: true,
      noise: 0,
      slos: ['tpot.mean<30ms'],
    });
    expect(found.confirmed).toBe(true);
    expect(found.load).toBeLessThan(180);
    expect(found.load).toBeGreaterThanOrEqual(165);
  });

  test('rates below one request a second', () => {
    const capacity = 0.37;
    const truth = (load: number): Record<string, number> => ({
      'ttft.p99': load < capacity ? 400 / (1 - load / capacity) : 600_000,
    });
    const { found } = search(truth, { least: 0.01, most: 100, whole: false, noise: 0, slos: ['ttft.p99<4s'] });
    expect(found.confirmed).toBe(true);
    // 400 / (1 − x) = 4000 at x = 0.9 of the capacity.
    expect(found.load).toBeLessThan(0.333);
    expect(found.load).toBeGreaterThan(0.29);
  });

  test('under noise the answer truly keeps the SLO in at least 90 of 100 searches, and is not timid', () => {
    const answers = Array.from({ length: 100 }, (_, i) =>
      search((load) => ({ 'tpot.mean': 12 + 0.1 * load }), {
        least: 1,
        most: 1000,
        whole: true,
        noise: 0.012,
        slos: ['tpot.mean<30ms'],
        seed: i + 1,
      }),
    );
    const kept = answers.filter(({ found }) => found.load !== null && found.load < 180);
    expect(kept.length).toBeGreaterThanOrEqual(90);
    const loads = answers.map(({ found }) => found.load ?? 0).toSorted((a, b) => a - b);
    expect(loads[50]).toBeGreaterThan(150);
  });

  test('when even the least load breaks an SLO, that one is named', () => {
    const { found } = search(() => ({ 'ttft.mean': 3000, 'tpot.mean': 10 }), {
      least: 1,
      most: 64,
      whole: true,
      noise: 0,
      slos: ['tpot.mean<20ms', 'ttft.mean<2s'],
    });
    expect(found).toMatchObject({ load: null, confirmed: false, broken: 'ttft.mean<2s' });
  });

  test('when the whole range keeps the SLO, the end of the range is the answer and is told as such', () => {
    const { found } = search(() => ({ 'tpot.mean': 10 }), {
      least: 1,
      most: 64,
      whole: true,
      noise: 0,
      slos: ['tpot.mean<20ms'],
    });
    expect(found).toMatchObject({ load: 64, confirmed: true, atMost: true, outOfRuns: false });
  });

  test('an answer below the end of the range is never called the end of it', () => {
    // 8 is the end and keeps the limit by a hair, so that its fresh runs cannot bear it out at the 90 % bound.
    const question = { slos: [parseSlo('tpot.mean<20ms')], least: 1, most: 8, whole: true };
    const probe = (load: number, tpotMs: number, fresh: boolean): Probe => ({
      load,
      figures: { 'tpot.mean': tpotMs },
      fresh,
    });
    const looks = [probe(1, 10, false), probe(2, 11, false), probe(4, 13, false), probe(8, 19.99, false)];
    const fresh = [probe(8, 19.98, true), probe(8, 19.99, true), probe(7, 15, true), probe(7, 15.01, true)];
    const found = findMax({ ...question, budget: 16, tolerance: 0.04, confirmRuns: 2 }, [...looks, ...fresh]);
    expect(found).toMatchObject({ kind: 'found', load: 7, confirmed: true, atMost: false, outOfRuns: false });
  });

  test('a search whose runs are spent before any limit broke says that, not that the range ended', () => {
    const { found } = search(() => ({ 'tpot.mean': 10 }), {
      least: 1,
      most: 64,
      whole: true,
      noise: 0,
      slos: ['tpot.mean<20ms'],
      budget: 4,
    });
    expect(found).toMatchObject({ load: 2, confirmed: true, atMost: false, outOfRuns: true });
  });

  test('the budget is kept', () => {
    const { looks } = search((load) => ({ 'tpot.mean': 12 + 0.1 * load }), {
      least: 1,
      most: 1000,
      whole: true,
      noise: 0.05,
      slos: ['tpot.mean<30ms'],
      budget: 8,
    });
    expect(looks).toBeLessThanOrEqual(8);
  });
});
