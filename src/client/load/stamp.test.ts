import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stampMsIn } from './stamp.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a stamp on the clock of the run is what whole numbers give, to less than a microsecond, on a host up for 200 years', () => {
  const ns = fc.bigInt({ min: 0n, max: 6_000_000_000_000_000_000n });
  fc.assert(
    fc.property(ns, fc.bigInt({ min: -10_000_000_000_000n, max: 10_000_000_000_000n }), (originNs, after) => {
      const emitted = originNs + after;
      fc.pre(emitted >= 0n);
      const text = `"${emitted}"`;
      const ms = stampMsIn(bytesOf(text), 1, text.length - 1, originNs);
      expect(Math.abs(ms - Number(after) / 1e6)).toBeLessThan(1e-3);
    }),
  );
});

test('what is no number of nanoseconds is no stamp', () => {
  for (const text of ['', '12a', '-5', '1.5', '1'.repeat(20)])
    expect(stampMsIn(bytesOf(text), 0, text.length, 0n)).toBeNaN();
});
