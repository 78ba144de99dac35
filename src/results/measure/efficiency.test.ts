import { expect, test } from 'vitest';
import { efficiencyOf, measuredMachine } from './efficiency.ts';

test('cost and efficiency, worked out by hand', () => {
  // 1000 output tokens/s are 3.6 million an hour; 36 an hour are 10 per million. 8 cards: 125 each. 2 kW: half a token per joule.
  const facts = { pricePerHour: 36, cards: 8, powerW: 2000 };
  expect(efficiencyOf({ outputTokensPerSec: 1000, totalTokensPerSec: 4000 }, facts)).toEqual({
    pricePerMillionOutputTokens: 10,
    pricePerMillionTokens: 2.5,
    outputTokensPerSecPerCard: 125,
    outputTokensPerJoule: 0.5,
  });
});

test('what is not known stays unknown, and no speed has no price', () => {
  expect(
    efficiencyOf({ outputTokensPerSec: 0, totalTokensPerSec: null }, { pricePerHour: 36, cards: null, powerW: null }),
  ).toEqual({
    pricePerMillionOutputTokens: null,
    pricePerMillionTokens: null,
    outputTokensPerSecPerCard: null,
    outputTokensPerJoule: null,
  });
});

test('of the cards that were watched those count that worked; power where all of them tell it', () => {
  const card = (use: number, watts: number | null) => ({
    utilizationRatio: { mean: use / 2, max: use },
    powerW: watts === null ? null : { mean: watts, max: watts },
  });
  const of = (...devices: unknown[]) => measuredMachine({ devices: { devices } });
  expect(of(card(0.9, 300), card(0.8, 250), card(0, 60))).toEqual({ cards: 2, powerW: 550 });
  expect(of(card(0.9, 300), card(0.8, null))).toEqual({ cards: 2, powerW: null });
  expect(measuredMachine({ devices: null })).toEqual({ cards: null, powerW: null });
});
