import { expect, test } from 'vitest';
import { efficiencyOf } from './efficiency.ts';

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
