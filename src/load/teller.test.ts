import { expect, it } from 'vitest';
import { afterHeader, dueHeader, nameHeader, sentHeader, simulatedServer } from '../core/index.ts';
import type { RunPlan } from '../core/index.ts';
import { tellerOf } from './teller.ts';
import type { Teller } from './teller.ts';

const clock = { nowMs: () => 0, originNs: 7_000_000_000n };
const plan = (server: string, kind: 'open' | 'closed'): Pick<RunPlan, 'target' | 'load'> =>
  ({ target: { server }, load: { kind } }) as RunPlan;
const tellerFor = (kind: 'open' | 'closed'): Teller => tellerOf(plan(simulatedServer, kind), clock)!;

const request = 'POST / HTTP/1.1\r\nhost: h\r\n\r\n{}';
const dealt = (dueMs: number): { dueMs: number; turn: null } => ({ dueMs, turn: null });
/** Which headers a request was given: moments in milliseconds of the host's clock, names without what this client put before them. */
function headers(told: string): Record<string, number | string> {
  const lines = told.split('\r\n').filter((line) => line.startsWith('x-llmdyno'));
  expect(told.replaceAll(/x-llmdyno[^\r]*\r\n/g, '')).toBe(request);
  const isMoment = (name: string): boolean => name === sentHeader || name === dueHeader;
  return Object.fromEntries(
    lines
      .map((line): [string, string] => line.split(': ') as [string, string])
      .map(([name, value]) => [name, isMoment(name) ? Number(value) : value.replace(/^.*\./, '#')]),
  );
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
  teller.heard(0);
  expect(headers(teller.told(request, 1, dealt(10), 10.5))).toEqual({ [sentHeader]: 7010.5, [dueHeader]: 7010 });
});

it('in a closed loop: its name, and after which answer it was sent; at the beginning, when it was due', () => {
  const teller = tellerFor('closed');
  const named = (seq: number): Record<string, string> => ({ [nameHeader]: `#${seq}` });
  expect(headers(teller.told(request, 3, dealt(0), 0.25))).toEqual({
    ...named(3),
    [sentHeader]: 7000.25,
    [dueHeader]: 7000,
  });
  teller.heard(5);
  teller.heard(2);
  const told = [52, 53, 54].map((sentMs) => headers(teller.told(request, sentMs, dealt(sentMs), sentMs)));
  expect(told).toEqual([
    { ...named(52), [sentHeader]: 7052, [afterHeader]: '#5' },
    { ...named(53), [sentHeader]: 7053, [afterHeader]: '#2' },
    { ...named(54), [sentHeader]: 7054, [dueHeader]: 7054 },
  ]);
});

it('two clients of one engine do not give two requests one name, and speak of their own answers', () => {
  const names = [tellerFor('closed'), tellerFor('closed')].map((teller) => {
    const first = teller.told(request, 0, dealt(0), 0);
    teller.heard(0);
    const next = teller.told(request, 1, dealt(1), 1);
    const of = (told: string, header: string): string => told.split(`${header}: `)[1]!.split('\r\n')[0]!;
    expect(of(next, afterHeader)).toBe(of(first, nameHeader));
    return of(first, nameHeader);
  });
  expect(names[0]).not.toBe(names[1]);
});

it('an ask that waited for a slot, a turn of a conversation in a closed loop and one that is made again: only when it was sent', () => {
  const turn = { prompt: null } as never;
  const sent = { [sentHeader]: 7005 };
  expect(headers(tellerFor('open').told(request, 9, { ...dealt(1), held: true }, 5))).toEqual(sent);
  const closed = tellerFor('closed');
  const named = { ...sent, [nameHeader]: '#9' };
  closed.heard(4);
  expect(headers(closed.told(request, 9, null, 5))).toEqual(named);
  expect(headers(closed.told(request, 9, { dueMs: 4, turn }, 5))).toEqual(named);
  // What made room for the turn makes none for the next.
  expect(headers(closed.told(request, 9, dealt(5), 5))).toEqual({ ...named, [dueHeader]: 7005 });
});
