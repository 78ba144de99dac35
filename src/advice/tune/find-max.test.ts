import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import type { Distribution } from '../../core/index.ts';
import { parseSlo, withinLimit } from '../../results/measure/index.ts';
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
    steps?: { first: number; growth: number; tolerance: number };
  },
): { found: Found; looks: number; breaksAt: number | null } {
  const random = randomStream(options.seed ?? 1, 'noise of looks');
  const probes: Probe[] = [];
  const question = {
    slos: options.slos.map(parseSlo),
    least: options.least,
    most: options.most,
    whole: options.whole,
    budget: options.budget ?? 16,
    tolerance: 0.04,
    ...options.steps,
  };
  for (;;) {
    const step = findMax(question, probes);
    if (step.kind === 'found') {
      const breaks = ({ figures }: Probe): boolean =>
        question.slos.some((slo) => !withinLimit(slo, figures[`${slo.metric}.${slo.statistic}`] ?? 0));
      const broke = probes.filter((probe) => probe.load > (step.load ?? 0) && breaks(probe)).map(({ load }) => load);
      return { found: step, looks: probes.length, breaksAt: broke.length === 0 ? null : Math.min(...broke) };
    }
    const figures = Object.fromEntries(
      Object.entries(truth(step.load)).map(([word, value]) => [
        word,
        value * Math.exp(options.noise * random.normal()),
      ]),
    );
    // Requests that lie so close around the 99th percentile wander as little as the noise says.
    const around = (p99 = 0) => ({ p98: p99 * (1 - 0.75 * options.noise), p99, n: 500 }) as Distribution;
    const times = {
      ttftMs: around(figures['ttft.p99']),
      tpotMs: around(figures['tpot.p99']),
      itlMs: null,
      latencyMs: around(figures['latency.p99']),
    };
    probes.push({ load: step.load, figures, fresh: step.fresh, times });
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
    const found = findMax({ ...question, budget: 16, tolerance: 0.04 }, [...looks, ...fresh]);
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
    expect(found).toMatchObject({ load: 4, confirmed: true, atMost: false, outOfRuns: true });
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

  test('law: in long steps from 16, the truth of 100 unlike engines lies within the bounds in 95, and half take at most 8 looks', () => {
    const steps = { first: 16, growth: 4, tolerance: 0.08 };
    const slos = ['ttft.p99<500ms', 'tpot.p99<50ms'];
    let inside = 0;
    const looks: number[] = [];
    for (let seed = 0; seed < 100; seed++) {
      const random = randomStream(seed, 'engine');
      const places = 20 + random.below(400);
      const slope = 0.05 + 0.3 * random.next();
      const kind = seed % 4;
      // A batch that is full lets the first token wait; a KV cache that is full lets each token wait; prompts queue for prefill; or nothing limits.
      const truth = (load: number): Record<string, number> => ({
        'ttft.p99': 60 + (kind === 0 ? 20 * Math.max(0, load - places) : kind === 2 ? slope * 10 * load : 0.05 * load),
        'tpot.p99': 12 + (kind === 1 ? slope * load : kind === 3 ? 0.02 * load : 0.01 * load),
      });
      const keeps = (load: number): boolean => truth(load)['ttft.p99']! < 500 && truth(load)['tpot.p99']! < 50;
      const most = 512;
      let edge = most;
      while (edge > 0 && !keeps(edge)) edge -= 1;
      const {
        found,
        looks: taken,
        breaksAt,
      } = search(truth, { least: 1, most, whole: true, noise: 0.01, slos, seed, steps });
      looks.push(taken);
      // The answer keeps the promises, give or take the noise of a look, and the load that broke them does not.
      const low = (found.load ?? 0) <= edge * 1.02;
      const high = breaksAt === null ? edge === most : breaksAt >= edge * 0.98;
      if (found.confirmed && low && high && (found.load ?? 0) >= edge * 0.85) inside += 1;
    }
    expect(inside).toBeGreaterThanOrEqual(95);
    expect(looks.toSorted((a, b) => a - b)[50]).toBeLessThanOrEqual(8);
  });
});
