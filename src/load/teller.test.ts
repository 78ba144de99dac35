import { expect, it } from 'vitest';
import { afterHeader, dueHeader, sentHeader, simulatedServer } from '../core/index.ts';
import type { RunPlan } from '../core/index.ts';
import { tellerOf } from './teller.ts';
import type { Teller } from './teller.ts';

let nowMs = 0;
const clock = { nowMs: () => nowMs, originNs: 7_000_000_000n };
const plan = (server: string, kind: 'open' | 'closed'): Pick<RunPlan, 'target' | 'load'> =>
  ({ target: { server }, load: { kind } }) as RunPlan;
const tellerFor = (kind: 'open' | 'closed'): Teller => tellerOf(plan(simulatedServer, kind), clock)!;

const request = 'POST / HTTP/1.1\r\nhost: h\r\n\r\n{}';
const dealt = (dueMs: number): { dueMs: number; turn: null } => ({ dueMs, turn: null });
/** Which headers a request was given, in milliseconds of the host's clock. */
function headers(told: string): Record<string, number> {
  const lines = told.split('\r\n').filter((line) => line.startsWith('x-llmdyno'));
  expect(told.replaceAll(/x-llmdyno[^\r]*\r\n/g, '')).toBe(request);
  return Object.fromEntries(lines.map((line) => line.split(': ')).map(([name, value]) => [name!, Number(value)]));
}

it('only a simulated engine is told anything', () => {
  for (const kind of ['open', 'closed'] as const) {
    expect(tellerOf(plan('uvicorn', kind), clock)).toBeNull();
    expect(tellerOf({ ...plan('', kind), target: {} as RunPlan['target'] }, clock)).toBeNull();
    expect(tellerOf(plan(`${simulatedServer} (simulated)`, kind), clock)).not.toBeNull();
  }
});

it('in an open loop: when a request was sent and due, whatever was heard before', () => {
  const teller = tellerFor('open');
  teller.heard();
  expect(headers(teller.told(request, dealt(10), 10.5))).toEqual({ [sentHeader]: 7010.5, [dueHeader]: 7010 });
});

it('in a closed loop: which moment of hearing made room for it; at the beginning, when it was due', () => {
  const teller = tellerFor('closed');
  expect(headers(teller.told(request, dealt(0), 0.25))).toEqual({ [sentHeader]: 7000.25, [dueHeader]: 7000 });
  [nowMs] = [50];
  teller.heard();
  [nowMs] = [51];
  teller.heard();
  const told = [52, 53, 54].map((sentMs) => headers(teller.told(request, dealt(sentMs), sentMs)));
  expect(told).toEqual([
    { [sentHeader]: 7052, [afterHeader]: 7050 },
    { [sentHeader]: 7053, [afterHeader]: 7051 },
    { [sentHeader]: 7054, [dueHeader]: 7054 },
  ]);
});

it('an ask that waited for a slot, a turn of a conversation in a closed loop and one that is made again: only when it was sent', () => {
  const turn = { prompt: null } as never;
  const sent = { [sentHeader]: 7005 };
  expect(headers(tellerFor('open').told(request, { ...dealt(1), held: true }, 5))).toEqual(sent);
  const closed = tellerFor('closed');
  nowMs = 4;
  closed.heard();
  expect(headers(closed.told(request, null, 5))).toEqual(sent);
  expect(headers(closed.told(request, { dueMs: 4, turn }, 5))).toEqual(sent);
  // What made room for the turn makes none for the next.
  expect(headers(closed.told(request, dealt(5), 5))).toEqual({ ...sent, [dueHeader]: 7005 });
});
