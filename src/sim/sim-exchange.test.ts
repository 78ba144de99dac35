import { expect, it } from 'vitest';
import { problem } from '../core/index.ts';
import { turnMs, untilHeardMs } from './front.ts';
import { endedFlight, unsentFlight } from './sim-exchange.ts';

it('tokens that were still on their way when the client gave up are not on its record, made to the last or not', () => {
  const flight = { ...unsentFlight(0, false, 0), sentMs: 0, stream: true, tokenAtMs: [10, 20], madeAtMs: 20 };
  const told = (endMs: number): number[] =>
    endedFlight(flight, endMs, 'cancelled', problem('cancelled')).exchange.chunks.atMs;
  const [firstMs, lastMs] = [10 + untilHeardMs(0, false), 20 + untilHeardMs(1, true)];
  expect(told(20)).toEqual([firstMs]);
  expect(told(lastMs)).toEqual([firstMs, lastMs]);
  const { exchange } = endedFlight(flight, 20 + turnMs, 'ok', null);
  expect([exchange.chunks.atMs.length, exchange.outputTokens.server]).toEqual([2, 2]);
});

it('an answer ends with its last token, be it the only one, and before its client asks again', () => {
  for (const tokenAtMs of [[10, 20], [20]]) {
    const flight = { ...unsentFlight(0, false, 0), sentMs: 0, stream: true, tokenAtMs, madeAtMs: 20 };
    const { exchange } = endedFlight(flight, 20 + turnMs, 'ok', null);
    expect(exchange.endMs).toBe(20 + untilHeardMs(1, true));
    expect(exchange.chunks.atMs.at(-1)).toBe(exchange.endMs);
    expect(exchange.endMs).toBeLessThan(20 + turnMs);
  }
});

it('of an answer of which one token was heard that token is a first one', () => {
  const flight = { ...unsentFlight(0, false, 0), sentMs: 0, stream: true, tokenAtMs: [10] };
  const { exchange } = endedFlight(flight, 15, 'cancelled', problem('cancelled'));
  expect(exchange.chunks.atMs).toEqual([10 + untilHeardMs(0, false)]);
});
