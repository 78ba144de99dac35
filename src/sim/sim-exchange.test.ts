import { expect, it } from 'vitest';
import { problem } from '../core/index.ts';
import { backMs, turnMs } from './front.ts';
import { endedFlight, unsentFlight } from './sim-exchange.ts';

it('tokens that were still on their way when the client gave up are not on its record, made to the last or not', () => {
  const flight = { ...unsentFlight(0, false, 0), sentMs: 0, stream: true, tokenAtMs: [10, 20], madeAtMs: 20 };
  const told = (endMs: number): number[] =>
    endedFlight(flight, endMs, 'cancelled', problem('cancelled')).exchange.chunks.atMs;
  expect(told(20)).toEqual([10 + backMs]);
  expect(told(20 + backMs)).toEqual([10 + backMs, 20 + backMs]);
  const { exchange } = endedFlight(flight, 20 + turnMs, 'ok', null);
  expect([exchange.chunks.atMs.length, exchange.outputTokens.server]).toEqual([2, 2]);
});
