import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ended } from '../../src/core/index.ts';
import { startEngine } from '../../src/engine/http/index.ts';
import type { RunningEngine } from '../../src/engine/http/index.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { builtinProfile } from '../../src/engine/sim/index.ts';
import { conversationPrompt, fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { talkWorkload } from './contract-talks.ts';
import { recordingServer } from './recording-server.ts';
import { runnerContract, smallPlan } from './runner-contract.ts';
import { talkContract } from './talk-contract.ts';
import { unrehearsed } from './unrehearsed.ts';

let engine: RunningEngine;
beforeAll(async () => {
  const profile = builtinProfile('qwen1.5-7b-mindie-8x910b4');
  engine = await startEngine({ profile, speed: 10, models: ['any'] });
});
afterAll(() => engine.close());

runnerContract(
  'sockets against the simulated engine',
  (workload) => Promise.resolve(makeLoadRunner({ workload, secrets: {}, rehearsal: unrehearsed })),
  () => `${engine.url}/v1/chat/completions`,
);

talkContract(
  'sockets against the simulated engine',
  () => Promise.resolve(makeLoadRunner({ workload: () => talkWorkload(), secrets: {}, rehearsal: unrehearsed })),
  () => `${engine.url}/v1/chat/completions`,
);

test('a user alone who thinks for less time than a look at the clock takes is not forgotten', async () => {
  const stops = { drain: new AbortController().signal, cancel: new AbortController().signal };
  const turns = 300;
  // Nothing else would wake the runner: the moment may pass between two looks at the clock, in one turn of fifty or so.
  const talk = conversationPrompt({
    id: 'alone',
    system: null,
    turns: Array.from({ length: turns }, () => 'and?'),
    maxTokens: Array.from({ length: turns }, () => 1),
    thinkMs: (turn) => ((turn * 37) % 200) / 1000,
    keepReasoning: false,
  });
  const workload = () => ({ ...fromPrompts([talk], { offset: 0, cycle: true }), conversations: true as const });
  const plan = smallPlan(`${engine.url}/v1/chat/completions`, {
    load: { ...smallPlan('').load, concurrency: 1 },
    requests: turns,
  });
  let ended = 0;
  for await (const one of makeLoadRunner({ workload, secrets: {}, rehearsal: unrehearsed }).run(plan, stops, []))
    ended += one.exchange.outcome === 'ok' ? 1 : 0;
  expect(ended).toBe(turns);
});

test('what is rehearsed before a large load is recorded to no effect, and reaches neither the server under test nor the records', async () => {
  const server = await recordingServer();
  const stops = { drain: new AbortController().signal, cancel: new AbortController().signal };
  const plan = smallPlan(`${server.url}/v1/chat/completions`, {
    load: { ...smallPlan('').load, concurrency: 200 },
    requests: 230,
  });
  const workload = () => fromPrompts([plainPrompt('one', 'What was asked?')], { offset: 0, cycle: true });
  const seqs: number[] = [];
  const played: Ended[] = [];
  const runner = makeLoadRunner({ workload, secrets: {} });
  runner.rehearseWith!(() => (ended) => played.push(ended));
  for await (const { exchange } of runner.run(plan, stops, [])) seqs.push(exchange.seq);
  await server.close();
  expect(played.length).toBeGreaterThan(1000);
  // As what is measured will be, in the ways that answers come.
  expect(played.every(({ exchange }) => !exchange.warmup)).toBe(true);
  // A play ends after a second: on a host that is busy not all of it has been answered by then.
  const outcomes = new Set(played.map(({ exchange }) => exchange.outcome));
  expect(outcomes).toContain('ok');
  expect(outcomes).not.toContain('failed');
  expect(new Set(played.map(({ exchange }) => exchange.chunks.atMs.length)).size).toBeGreaterThan(2);
  expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 230 }, (_, i) => i));
  expect(server.seen).toHaveLength(230);
  expect(JSON.stringify(server.seen)).not.toContain('rehearsal');
});

test('a warm-up hands its slots over without a pause: its last answer is held back until a measured request has come', async () => {
  const held: ServerResponse[] = [];
  let came = 0;
  const answer = (res: ServerResponse): void => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }];
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices }));
  };
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      came += 1;
      // The first of the two that the warm-up asks waits for the third, which is measured.
      if (came === 1) held.push(res);
      else answer(res);
      if (came === 3) answer(held[0]!);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stops = { drain: new AbortController().signal, cancel: new AbortController().signal };
  const base = smallPlan(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`);
  const plan = {
    ...base,
    load: { ...base.load, concurrency: 2 },
    generation: { ...base.generation, stream: false },
    warmup: { requests: 2 },
    requests: 6,
    timeouts: { ...base.timeouts, totalMs: 30_000 },
  };
  const workload = () => fromPrompts([plainPrompt('one', 'Ready?')], { offset: 0, cycle: true });
  const outcomes: [boolean, string][] = [];
  for await (const { exchange } of makeLoadRunner({ workload, secrets: {} }).run(plan, stops, []))
    outcomes.push([exchange.warmup, exchange.outcome]);
  server.close();
  expect(outcomes.filter(([warmup]) => warmup)).toEqual([
    [true, 'ok'],
    [true, 'ok'],
  ]);
  expect(outcomes.filter(([warmup]) => !warmup)).toEqual(Array.from({ length: 6 }, () => [false, 'ok']));
});
