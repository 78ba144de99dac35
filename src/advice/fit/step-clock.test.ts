import { describe, expect, it } from 'vitest';
import { cutTime } from './clock-pieces.ts';
import type { Stay } from './clock-pieces.ts';
import { clockStart, fitClock, placesOf } from './step-clock.ts';

const rules = { prefillApart: false, chunkTokens: Infinity, promptCost: true, bend: 1, beyond: 1 };
const cut = { leastStepMs: 10, untilMs: Infinity, kv: null };

/**
 * On paper: steps of 10 ms + 1 ms for each decoding sequence. One answer of 101 tokens alone, one of 100 more in company of four
 * others, with nothing else in the step.
 */
function onPaper(): Stay[] {
  const stays: Stay[] = [];
  let nowMs = 0;
  for (let round = 0; round < 30; round++) {
    const together = 1 + (round % 5);
    const stepMs = 10 + together;
    for (let i = 0; i < together; i++)
      stays.push({ fromMs: nowMs, toMs: nowMs + 100 * stepMs, promptTokens: 0, steps: 100 });
    nowMs += 100 * stepMs + 500;
  }
  return stays;
}

describe('the step clock', () => {
  it('reads a and c off answers whose step times are known on paper', () => {
    const stays = onPaper();
    const fit = fitClock(cutTime(stays, stays, [], cut), [], clockStart(11, []), rules);
    expect(fit.x[0]).toBeCloseTo(10, 1);
    expect(fit.x[1]! + 0.05 * fit.x[placesOf([]).k]!).toBeCloseTo(1, 1);
  });

  it("charges a prompt to the answers that waited for it: 1000 tokens at 0.1 ms lengthen the others' time by 100 ms", () => {
    const stays = onPaper().map((stay) => ({ ...stay, toMs: stay.toMs + 100 }));
    // A newcomer in the middle of every round, whose prompt took 100 ms; it makes one token and leaves.
    const rounds = [...new Set(stays.map((stay) => stay.fromMs))];
    const guests = rounds.map((fromMs) => ({ fromMs: fromMs + 600, toMs: fromMs + 600, promptTokens: 1000, steps: 0 }));
    const pieces = cutTime([...stays, ...guests], stays, [], cut);
    const fit = fitClock(pieces, [], clockStart(11, []), rules);
    // a and p1 trade off when every round has one guest; together they must explain 100 steps and one prompt.
    const { p1 } = placesOf([]);
    expect((100 * (fit.x[0]! + fit.x[1]!) + 1000 * fit.x[p1]!) / 1200).toBeCloseTo(1, 1);
  });

  it('tells what a prompt costs of its own from what its tokens cost, where long and short ones came', () => {
    const promptMs = (tokens: number): number => 40 + 0.06 * tokens;
    // Every answer of onPaper comes four times, with 1 to 8 guests of 100 or 1000 tokens who make one token and leave.
    const visits = [
      [1, 1000],
      [8, 100],
      [4, 1000],
      [2, 100],
    ] as const;
    const lengthMs = Math.max(...onPaper().map(({ toMs }) => toMs)) + 2000;
    const rounds = visits.map(([count, tokens], i) => {
      const takenMs = count * promptMs(tokens);
      const shift = i * lengthMs;
      const own = onPaper().map((stay) => ({
        ...stay,
        fromMs: stay.fromMs + shift,
        toMs: stay.toMs + shift + takenMs,
      }));
      const begins = [...new Set(own.map(({ fromMs }) => fromMs))];
      const guest = (fromMs: number) => ({ fromMs, toMs: fromMs, promptTokens: tokens, steps: 0 });
      return { own, guests: begins.flatMap((at) => Array.from({ length: count }, () => guest(at + 500 + takenMs))) };
    });
    const stays = rounds.flatMap(({ own }) => own);
    const pieces = cutTime([...stays, ...rounds.flatMap(({ guests }) => guests)], stays, [], cut);
    const { x } = fitClock(pieces, [], clockStart(11, []), rules);
    const { p1, r, m } = placesOf([]);
    expect(x[r]! / 40).toBeCloseTo(1, 1);
    expect((x[p1]! * 1000 + (x[m]! * 1000 * 1000) / 2e6) / 60).toBeCloseTo(1, 1);
  });

  it('takes first tokens that a client read a little apart for those of one step: neither waited for the prompt of the other', () => {
    const long = { fromMs: 0, toMs: 1100, promptTokens: 0, steps: 100 };
    const pair = [500, 506].map((fromMs) => ({ fromMs, toMs: fromMs + 550, promptTokens: 300, steps: 50 }));
    const pieces = cutTime([long, ...pair], pair, [], cut);
    // Cut at 0, 500, 506 …: both prompts were prefilled before 500, and nothing between the two.
    expect(pieces.prefillTokens.slice(0, 3)).toEqual(Float64Array.of(600, 0, 0));
    // A whole step later it is another step.
    const apart = cutTime([long, pair[0]!, { ...pair[1]!, fromMs: 512 }], [], [], cut);
    expect(apart.prefillTokens.slice(0, 3)).toEqual(Float64Array.of(300, 300, 0));
  });

  it('takes c and k as engines usually have them where all hold as many tokens, and as measured where they do not', () => {
    const { k } = placesOf([]);
    const found = (stays: readonly Stay[]): number[] =>
      fitClock(cutTime(stays, stays, [], cut), [], clockStart(11, []), rules).x;
    const same = found(onPaper().map((stay) => ({ ...stay, promptTokens: 1000 })));
    // 1 ms for each sequence and its 1050 tokens, whoever of the two costs it.
    expect(same[1]! + 1.05 * same[k]!).toBeCloseTo(1, 1);
    expect(same[1]! / 0.003 / (same[k]! / 0.004)).toBeGreaterThan(0.5);
    expect(same[1]! / 0.003 / (same[k]! / 0.004)).toBeLessThan(2);
    // Every other round holds ten times as much and is no slower.
    const begins = [...new Set(onPaper().map(({ fromMs }) => fromMs))];
    const tokensOf = ({ fromMs }: Stay): number => (begins.indexOf(fromMs) % 2 === 0 ? 200 : 2000);
    const mixed = found(onPaper().map((stay) => ({ ...stay, promptTokens: tokensOf(stay) })));
    expect(mixed[1]).toBeGreaterThan(0.9);
    expect(mixed[k]).toBeLessThan(0.1);
  });

  it('does not count what was held while the KV cache was full', () => {
    const stays = onPaper().map((stay) => ({ ...stay, promptTokens: 100 }));
    const all = cutTime(stays, stays, [], cut);
    const some = cutTime(stays, stays, [], { ...cut, kv: { blocks: 30, blockSize: 16 } });
    expect(all.steps.length).toBe(stays.length);
    expect(some.steps.length).toBeGreaterThan(0);
    expect(some.steps.length).toBeLessThan(stays.length);
  });

  it('finds a jump of d(n) where the answers show one', () => {
    const stays = onPaper().map((stay) => ({ ...stay }));
    const jumped = stays.map((stay) => {
      const together = stays.filter((other) => other.fromMs === stay.fromMs).length;
      return { ...stay, toMs: stay.toMs + (together >= 4 ? 300 : 0) };
    });
    const fit = fitClock(cutTime(jumped, jumped, [], cut), [3, 4], clockStart(11, [3, 4]), { ...rules, bend: 10 });
    expect(fit.x[2]! / fit.x[1]!).toBeGreaterThan(2.5);
  });
});
