// What a client tells of its requests, what of it is believed, and what follows.
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { afterHeader, dueHeader, sentHeader } from '../core/index.ts';
import { takenLive } from '../sim/index.ts';
import { chat, profile, start, stopAll } from './plain-client.ts';
import { StepPacer } from './step-pacer.ts';
import { believedMs, toldTimes } from './told-times.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await stopAll();
});

describe('what a client tells', () => {
  const steps = new Map([
    ['quick', 9],
    ['slow', 11.5],
    ['old', 11 - 2.1 * believedMs],
  ]);
  /** Twice as fast as the clock. */
  const known = {
    simulatedMs: (ms: number) => 2 * (ms - 1000),
    answeredMs: (name: string) => steps.get(name) ?? null,
  };
  const told = (headers: IncomingHttpHeaders, readMs: number) => toldTimes(headers, readMs, known);
  const sent = (at: unknown): IncomingHttpHeaders => ({ [sentHeader]: at as string });
  const due = (at: unknown): IncomingHttpHeaders => ({ ...sent('1005.5'), [dueHeader]: at as string });
  const after = (name: unknown): IncomingHttpHeaders => ({ ...sent('1005.5'), [afterHeader]: name as string });

  it('is believed where the request was sent, or why, within the last milliseconds', () => {
    expect(told(sent('1005.5'), 12)).toEqual({ sentMs: 11 });
    expect(told(sent('1005.5'), 11)).toEqual({ sentMs: 11 });
    expect(told(sent('1005.5'), 11 + 2 * believedMs)).toEqual({ sentMs: 11 });
    expect(told(due('1005.25'), 12)).toEqual({ sentMs: 11, dueMs: 10.5 });
    expect(told(after('quick'), 12)).toEqual({ sentMs: 11, answeredMs: 9 });
  });

  const none = [
    undefined,
    '',
    'soon',
    'NaN',
    '-Infinity',
    '1e999',
    '1006.1',
    String(1006 - 1.01 * believedMs),
    ['1005.5'],
  ];

  it('is no news where it is of the future, long past, or no moment at all', () => {
    for (const at of none) expect(told(sent(at), 12)).toBeNull();
    expect(told({ [dueHeader]: '1005.5' }, 12)).toBeNull();
    expect(told({ [afterHeader]: 'quick' }, 12)).toBeNull();
  });

  it('says nothing of why it was sent where that is not to be believed, or came after', () => {
    for (const at of [...none, '1005.75']) expect(told(due(at), 12)).toEqual({ sentMs: 11 });
    // Of an answer that nobody remembers, that ended after the request was sent, or too long ago.
    for (const name of [undefined, '', 'nobody', ['quick'], 'slow', 'old'])
      expect(told(after(name), 12)).toEqual({ sentMs: 11 });
  });

  it('is that a request was sent late by what it was later than in virtual time', () => {
    const open = takenLive(profile, { dueMs: 3, sentMs: 3 });
    expect(takenLive(profile, { dueMs: 3, sentMs: 5 }).lateMs - open.lateMs).toBeCloseTo(2, 9);
    expect(takenLive(profile, { dueMs: 3, sentMs: 5 }).takenMs).toBe(open.takenMs);
    const closed = takenLive(profile, { answeredMs: 3, sentMs: 6 });
    expect(takenLive(profile, { answeredMs: 3, sentMs: 5 }).lateMs - closed.lateMs).toBeCloseTo(-1, 9);
    expect(takenLive(profile, { answeredMs: 3, sentMs: 5 }).takenMs).toBe(closed.takenMs);
    expect(takenLive(profile, { sentMs: 3 })).toMatchObject({ askedMs: 3, lateMs: 0 });
  });

  it('reaches the pacer, and only where it was told', async () => {
    const submit = vi.spyOn(StepPacer.prototype, 'submit');
    const engine = await start({ speed: 1 });
    const ask = (headers: Record<string, string>): Promise<void> =>
      new Promise((resolve) => {
        const req = request(`${engine.url}/v1/chat/completions`, { method: 'POST', headers }, (res) => {
          res.on('end', resolve).resume();
        });
        req.end(JSON.stringify(chat({ max_tokens: 1 })));
      });
    await ask({});
    expect(submit.mock.lastCall![0]).not.toHaveProperty('askedMs');
    // As a client of another host, whose clock began elsewhere.
    await ask({ [sentHeader]: '12.5', [dueHeader]: '12.5' });
    expect(submit.mock.lastCall![0]).not.toHaveProperty('askedMs');
    // A busy host may take longer to bring one of them.
    await vi.waitFor(async () => {
      const nowMs = String(Number(process.hrtime.bigint()) / 1e6);
      await ask({ [sentHeader]: nowMs, [dueHeader]: nowMs });
      const { askedMs, arrivalMs } = submit.mock.lastCall![0];
      expect(askedMs).toBeDefined();
      expect(arrivalMs).toBeCloseTo(takenLive(profile, { dueMs: askedMs!, sentMs: askedMs! }).takenMs, 6);
    }, 60_000);
  });
});
