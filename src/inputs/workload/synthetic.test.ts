import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomStream } from '../../core/index.ts';
import type { LengthLaw, Prompt } from '../../core/index.ts';
import {
  ChunkCutter,
  exactWords,
  fillTemplate,
  lengthDrawer,
  linePrompts,
  mixPlaces,
  plainWords,
  randomPrompts,
  sharedPrefixPrompts,
  shortWords,
  zipfPicker,
} from './index.ts';

const n = 100_000;
function draws(law: LengthLaw, seed = 3): number[] {
  const draw = lengthDrawer(law);
  const chance = randomStream(seed, 'test lengths');
  return Array.from({ length: n }, () => draw(chance));
}
const mean = (xs: readonly number[]): number => xs.reduce((sum, x) => sum + x, 0) / xs.length;
const deviation = (xs: readonly number[]): number => Math.sqrt(mean(xs.map((x) => x * x)) - mean(xs) ** 2);

describe('length laws over 100,000 draws', () => {
  // Tolerances are five standard errors: deviation/√n for a mean, deviation/√(2n) for a normal's deviation.
  it('law: normal(512,64) has mean 512 and deviation 64', () => {
    const xs = draws({ law: 'normal', mean: 512, deviation: 64, min: null, max: null });
    expect(Math.abs(mean(xs) - 512)).toBeLessThan(1.02);
    expect(Math.abs(deviation(xs) - 64)).toBeLessThan(0.75);
  });

  // A log-normal with mean 512 and deviation 256 has median 512/√1.25 = 457.9.
  it('law: lognormal(512,256) has mean 512, deviation 256 and median 458', () => {
    const xs = draws({ law: 'lognormal', mean: 512, deviation: 256, min: null, max: null });
    expect(Math.abs(mean(xs) - 512)).toBeLessThan(4.1);
    expect(Math.abs(deviation(xs) - 256)).toBeLessThan(9);
    expect(Math.abs(xs.toSorted((a, b) => a - b)[n / 2]! - 457.9)).toBeLessThan(4);
  });

  it('law: 100..103 gives each of four lengths a quarter of the time', () => {
    const xs = draws({ law: 'uniform', min: 100, max: 103 });
    for (const value of [100, 101, 102, 103]) {
      expect(Math.abs(xs.filter((x) => x === value).length - n / 4)).toBeLessThan(5 * Math.sqrt((n * 3) / 16));
    }
  });

  // Zipf with exponent 1 over 1…4: weights 1, 1/2, 1/3, 1/4 over 25/12, so 48 %, 24 %, 16 %, 12 %.
  it('law: zipf(1,1..4) gives 48, 24, 16 and 12 percent', () => {
    const xs = draws({ law: 'zipf', alpha: 1, min: 1, max: 4 });
    for (const [value, share] of [
      [1, 0.48],
      [2, 0.24],
      [3, 0.16],
      [4, 0.12],
    ] as const) {
      expect(Math.abs(xs.filter((x) => x === value).length / n - share)).toBeLessThan(0.008);
    }
  });

  it('law: bounds hold, lengths are whole and at least 1', () => {
    const laws: LengthLaw[] = [
      { law: 'normal', mean: 3, deviation: 50, min: null, max: null },
      { law: 'lognormal', mean: 2, deviation: 20, min: null, max: 64 },
      { law: 'normal', mean: 1000, deviation: 1, min: 1, max: 2 },
    ];
    for (const law of laws) {
      const draw = lengthDrawer(law);
      const xs = Array.from({ length: 2000 }, (_, i) => draw(randomStream(i, 'bounds')));
      expect(
        xs.every(
          (x) =>
            Number.isInteger(x) &&
            x >= 1 &&
            x <= (law.law !== 'fixed' && 'max' in law ? (law.max ?? Infinity) : Infinity),
        ),
      ).toBe(true);
    }
  });
});

describe('random prompts', () => {
  const parts = {
    seed: 9,
    words: plainWords,
    input: { law: 'uniform', min: 1, max: 60 },
    output: { law: 'uniform', min: 5, max: 9 },
  } as const;

  it('law: a prompt depends on the seed and its number alone, so any split over workers asks the same', () => {
    const whole = Array.from({ length: 200 }, (_, i) => randomPrompts(parts)(i));
    for (const workers of [1, 2, 4]) {
      const shares: Prompt[] = [];
      for (let worker = 0; worker < workers; worker++) {
        // Each worker has its own maker and takes every workers-th number, backwards to show that order does not matter.
        const make = randomPrompts(parts);
        for (let i = 199 - worker; i >= 0; i -= workers) shares[i] = make(i);
      }
      expect(JSON.stringify(shares)).toBe(JSON.stringify(whole));
    }
    expect(JSON.stringify(randomPrompts({ ...parts, seed: 10 })(0))).not.toBe(JSON.stringify(whole[0]));
  });

  it('say as many words as tokens are planned, and plan answers within the law', () => {
    const make = randomPrompts(parts);
    for (let i = 0; i < 300; i++) {
      const { text, inputTokens, maxTokens } = make(i);
      expect(text!.split(' ')).toHaveLength(inputTokens!);
      expect(maxTokens).toBeGreaterThanOrEqual(5);
      expect(maxTokens).toBeLessThanOrEqual(9);
    }
    expect(new Set(shortWords).size).toBe(shortWords.length);
    expect(shortWords.every((word) => /^[a-z]{3}$/.test(word))).toBe(true);
  });

  it('law: groups begin alike and differ behind, and Zipf makes the first the most popular', () => {
    const make = sharedPrefixPrompts({ ...parts, groups: 4, prefixTokens: 30, zipf: 1 });
    const prompts = Array.from({ length: 4000 }, (_, i) => make(i));
    const prefixes = new Map<string, Set<string>>();
    const sizes = [0, 0, 0, 0];
    for (const { text, labels, inputTokens } of prompts) {
      const group = labels['group']!;
      sizes[Number(group)]! += 1;
      prefixes.set(group, (prefixes.get(group) ?? new Set()).add(text!.split(' ').slice(0, 30).join(' ')));
      expect(text!.split(' ')).toHaveLength(inputTokens!);
    }
    expect([...prefixes.values()].map((set) => set.size)).toEqual([1, 1, 1, 1]);
    expect(new Set([...prefixes.values()].flatMap((set) => [...set])).size).toBe(4);
    for (const [group, share] of [0.48, 0.24, 0.16, 0.12].entries())
      expect(Math.abs(sizes[group]! / 4000 - share)).toBeLessThan(0.04);
    expect(zipfPicker(1, 3)(randomStream(1, 'one'))).toBe(0);
  });
});

describe('texts of an exact length', () => {
  it('are mended where words do not simply add up', () => {
    // A coder in which every third word costs two tokens, and the first word one more.
    const count = (text: string): number => {
      const words = text === '' ? [] : text.split(' ');
      return words.reduce((sum, word) => sum + (word.endsWith('c') ? 2 : 1), words.length > 0 ? 1 : 0);
    };
    const source = exactWords({ count, words: ['aa', 'bb', 'cc'] });
    expect(source.addsUp).toBe(false);
    for (let tokens = 3; tokens < 200; tokens++)
      expect(count(source.text(tokens, randomStream(tokens, 'mend')))).toBe(tokens);
  });
});

describe('the continuation template', () => {
  it('law: chunks put together are the text, each of the asked number of characters', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.integer({ min: 1, max: 20 }), (pieces, chars) => {
        const cutter = new ChunkCutter(chars);
        const whole = [...pieces.join('')];
        const chunks = pieces.flatMap((piece) => cutter.add(piece));
        expect(chunks.every((chunk) => [...chunk].length === chars)).toBe(true);
        expect(chunks.join('')).toBe(whole.slice(0, Math.floor(whole.length / chars) * chars).join(''));
      }),
      { seed: 20_260_732, numRuns: 100 },
    );
  });

  it('fills its two places and leaves text that looks like a place alone', () => {
    expect(fillTemplate('[{text}] {output} {text}', 'see {output} $&', 50)).toBe(
      '[see {output} $&] 50 see {output} $&',
    );
  });
});

describe('prompts out of lines', () => {
  it('law: never longer than asked, by less than the longest line and more, with the first lines in front', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i} ${'x'.repeat(i % 9)}`);
    const make = linePrompts({
      seed: 2,
      lines,
      tokensOf: (line) => line.length,
      input: { law: 'uniform', min: 300, max: 900 },
      output: null,
      prefixTokens: 50,
      before: 'Choose:',
      after: '',
    });
    for (let i = 0; i < 200; i++) {
      const { text, inputTokens } = make(i);
      const said = text!.split('\n');
      // On paper: lines 0 to 4 have 7 + 8 + 9 + 10 + 11 = 45 letters, the sixth would pass 50.
      expect(said.slice(0, 7)).toEqual(['Choose:', ...lines.slice(0, 5), expect.any(String)]);
      expect(said.reduce((sum, line) => sum + line.length, 0)).toBe(inputTokens);
      expect(inputTokens).toBeLessThanOrEqual(900);
      expect(inputTokens).toBeGreaterThan(300 - 17);
    }
    expect(make(5)).toEqual(make(5));
  });
});

describe('mixes', () => {
  it('law: weights hold, every part is asked in its own order, and any slice continues the one before', () => {
    const places = mixPlaces([3, 1], 5);
    const next = places(0);
    const all = Array.from({ length: 8000 }, () => next());
    expect(Math.abs(all.filter(({ part }) => part === 0).length / 8000 - 0.75)).toBeLessThan(0.025);
    for (const part of [0, 1]) {
      const own = all.filter((place) => place.part === part).map(({ index }) => index);
      expect(own).toEqual(own.map((_, i) => i));
    }
    const later = places(5000);
    expect(Array.from({ length: 100 }, () => later())).toEqual(all.slice(5000, 5100));
  });
});
