import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputKindLetters, problems } from '../../core/index.ts';
import type { Exchange, ProblemCode } from '../../core/index.ts';
import { answerBytes, decodeExchange, encodeExchange } from './exchange-line.ts';

const time = fc.integer({ min: 0, max: 10 ** 12 }).map((micros) => micros / 1000);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const counts = fc.record({ planned: maybe(fc.nat()), server: maybe(fc.nat()), client: maybe(fc.nat()) });
const chunks = fc
  .array(fc.tuple(time, fc.nat(100), fc.constantFrom(...Object.values(outputKindLetters)), time))
  .chain((entries) =>
    fc.boolean().map((stamped) => ({
      atMs: entries.map(([at]) => at),
      tokens: entries.map(([, tokens]) => tokens),
      kinds: entries.map(([, , kind]) => kind).join(''),
      ...(stamped && { emittedMs: entries.map(([, , , at]) => at) }),
    })),
  );
const times = fc.record({
  queueMs: maybe(time),
  prefillMs: maybe(time),
  decodeMs: maybe(time),
  totalMs: maybe(time),
});
const plain: fc.Arbitrary<Exchange> = fc.record({
  seq: fc.integer(),
  promptId: fc.string({ unit: 'binary' }),
  labels: fc.dictionary(fc.string(), fc.string()),
  warmup: fc.boolean(),
  dueMs: time,
  sentMs: maybe(time),
  connectMs: maybe(time),
  firstByteMs: maybe(time),
  chunks,
  endMs: time,
  inputTokens: counts,
  outputTokens: counts,
  cachedTokens: maybe(fc.nat()),
  reasoningTokens: maybe(fc.nat()),
  inputChars: fc.nat(),
  outputChars: fc.nat(),
  finish: maybe(fc.string()),
  httpStatus: maybe(fc.integer({ min: 100, max: 599 })),
  attempts: fc.nat(5),
  outcome: fc.constantFrom('ok', 'failed', 'cancelled', 'dropped'),
  problem: maybe(
    fc.record({
      code: fc.constantFrom(...(Object.keys(problems) as ProblemCode[])),
      status: maybe(fc.nat(599)),
      words: maybe(fc.string()),
    }),
  ),
});

const exchange = fc
  .tuple(plain, fc.option(times))
  .map(([made, told]): Exchange => ({ ...made, ...(told !== null && { serverTimes: told }) }));

test('what is written is one line of JSON that reads back as the same exchange, to the microsecond', () => {
  fc.assert(
    fc.property(exchange, (written) => {
      const line = encodeExchange(written);
      expect(line).not.toMatch(/\n/);
      expect(decodeExchange(line)).toEqual({ exchange: { ...written, labels: { ...written.labels } } });
    }),
    { numRuns: 500, seed: 7 },
  );
});

test('an answer is written as JSON.stringify writes it, short and long, whatever it says', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string());
  fc.assert(
    fc.property(fc.record({ seq: fc.integer(), text, reasoning: text }), (answer) => {
      expect(Buffer.from(answerBytes(answer)).toString()).toBe(JSON.stringify(answer));
    }),
    { numRuns: 1000, seed: 7 },
  );
});
