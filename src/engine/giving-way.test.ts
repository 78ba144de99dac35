// What the engine leaves to its clients on a host with few processors.
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { EngineCore } from '../sim/index.ts';
import { Answer } from './answer.ts';
import { call, chat, events, profile, start, stopAll } from './plain-client.ts';
import { Service } from './service.ts';
import { StepPacer } from './step-pacer.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await stopAll();
});

test('before a step ends the engine naps instead of looking at the clock all the time, and no step ends before its time', async () => {
  const wait = vi.spyOn(Atomics, 'wait');
  const cost = { ...profile.cost, aMs: 5 };
  const late: number[] = [];
  const pacer = new StepPacer(new EngineCore({ profile: { ...profile, cost }, seed: 1 }), 1, (_, step) =>
    late.push(pacer.nowMs() - step.endMs),
  );
  pacer.submit({ id: 0, inputTokens: 10, outputTokens: 40, arrivalMs: pacer.nowMs() });
  await vi.waitFor(() => expect(late).toHaveLength(40), { timeout: 10_000 });
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
  const naps = wait.mock.calls.map(([, , , ms]) => ms!);
  expect(naps.length).toBeGreaterThan(0);
  expect(Math.min(...naps)).toBeGreaterThan(0);
  // Longer ones would let a request wait unread.
  expect(Math.max(...naps)).toBeLessThanOrEqual(0.1);
});

test('first and last tokens are let be heard before the rest of their batch is written', async () => {
  const told: string[] = [];
  const { made } = Answer.prototype;
  vi.spyOn(Answer.prototype, 'made').mockImplementation(function (this: Answer, choice, index, finished, step) {
    told.push((index === 0 || finished ? 'urgent' : 'other') + step.batchSize);
    made.call(this, choice, index, finished, step);
  });
  vi.spyOn(Atomics, 'wait').mockImplementation((_array, _index, _value, ms) => {
    // Between two looks at the clock it naps for as long as is left, but for a tenth of a millisecond at the most.
    told.push(ms === 0.05 ? 'heard' : 'nap');
    return 'timed-out';
  });
  const engine = await start({ speed: 1 });
  const long = call(engine, '/v1/chat/completions', chat({ max_tokens: 60, ignore_eos: true, stream: true }));
  await vi.waitFor(() => expect(told).toContain('other1'));
  const short = await call(engine, '/v1/chat/completions', chat({ max_tokens: 3, ignore_eos: true, stream: true }));
  await long;
  expect(events(short.body)).not.toHaveLength(0);
  const story = told.join(' ');
  expect(story).toMatch(/urgent2( nap)* heard other2/);
  expect(story).not.toMatch(/urgent2( nap)* other2/);
});

test('the head of a streamed answer is sent before there is a token', async () => {
  const engine = await start({ speed: 1, profile: { ...profile, cost: { ...profile.cost, aMs: 60_000 } } });
  const body = JSON.stringify(chat({ max_tokens: 3, stream: true }));
  const response = await new Promise<IncomingMessage>((resolve) => {
    request(`${engine.url}/v1/chat/completions`, { method: 'POST' }, resolve).end(body);
  });
  expect(response.headers['content-type']).toContain('text/event-stream');
  expect(engine.stats().counters.generationTokensTotal).toBe(0);
  response.destroy();
});

test('memory is kept in order before a run, and where nobody waits', async () => {
  const housekeeping = { beforeRun: vi.fn<() => void>(), whenQuiet: vi.fn<() => void>() };
  const engine = await start({ speed: 1, profile: { ...profile, cost: { ...profile.cost, aMs: 20 } }, housekeeping });
  const begin = (): Promise<unknown> => call(engine, '/llmdyno/run/1/1', '');
  await begin();
  expect(housekeeping.beforeRun).toHaveBeenCalledTimes(1);
  expect(housekeeping.whenQuiet).not.toHaveBeenCalled();
  const answer = call(engine, '/v1/chat/completions', chat({ max_tokens: 40, ignore_eos: true, stream: true }));
  await vi.waitFor(() => expect(engine.stats().counters.running).toBe(1));
  // Somebody waits for an answer.
  await begin();
  await answer;
  expect(housekeeping.beforeRun).toHaveBeenCalledTimes(1);
  expect(housekeeping.whenQuiet).toHaveBeenCalled();
});

test('a request arrives when it is read, before anybody has made sense of it, and anew with each further part', async () => {
  const order: string[] = [];
  const { heard, handle } = Service.prototype;
  vi.spyOn(Service.prototype, 'heard').mockImplementation(function (this: Service) {
    order.push('heard');
    heard.call(this);
  });
  vi.spyOn(Service.prototype, 'handle').mockImplementation(function (this: Service, ...args) {
    order.push('handled');
    handle.apply(this, args);
  });
  const engine = await start();
  await call(engine, '/v1/chat/completions', chat({ max_tokens: 1 }));
  expect(order.slice(0, 2)).toEqual(['heard', 'handled']);
  order.length = 0;
  // More than one read of a socket brings.
  await call(engine, '/v1/chat/completions', chat({ max_tokens: 1 }, 'x'.repeat(400_000)));
  expect(order[0]).toBe('heard');
  expect(order.filter((what) => what === 'heard').length).toBeGreaterThan(1);
});
