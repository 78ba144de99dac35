import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine } from '../../src/engine/index.ts';
import type { RunningEngine } from '../../src/engine/index.ts';
import { makeLoadRunner } from '../../src/load/index.ts';
import { builtinProfile } from '../../src/sim/index.ts';
import { talkWorkload } from './contract-talks.ts';
import { runnerContract, smallPlan } from './runner-contract.ts';
import { talkContract } from './talk-contract.ts';

let engine: RunningEngine;
beforeAll(async () => {
  const profile = builtinProfile('qwen1.5-7b-mindie-8x910b4');
  engine = await startEngine({ profile, speed: 10, models: ['any'] });
});
afterAll(() => engine.close());

runnerContract(
  'sockets against the simulated engine',
  (workload) => Promise.resolve(makeLoadRunner({ workload, secrets: {} })),
  () => `${engine.url}/v1/chat/completions`,
);

talkContract(
  'sockets against the simulated engine',
  () => Promise.resolve(makeLoadRunner({ workload: () => talkWorkload(), secrets: {} })),
  () => `${engine.url}/v1/chat/completions`,
);

test('a user who thinks for less time than it takes to look at the clock twice is not forgotten', async () => {
  const stops = { sending: new AbortController().signal, everything: new AbortController().signal };
  const load = {
    kind: 'open',
    concurrency: null,
    ratePerSec: 2000,
    arrival: { process: 'constant' },
    sessions: true,
    dropLate: false,
  } as const;
  for (const thinkMs of [0.005, 0.01, 0.02, 0.04, 0.08]) {
    const kit = makeLoadRunner({ workload: () => talkWorkload(thinkMs), secrets: {} });
    const plan = smallPlan(`${engine.url}/v1/chat/completions`, { load, requests: 150 });
    let ended = 0;
    for await (const one of kit.run(plan, stops, [])) ended += one.exchange.outcome === 'ok' ? 1 : 0;
    expect(ended).toBe(150);
  }
});
