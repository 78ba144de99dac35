import { afterAll, beforeAll } from 'vitest';
import { startEngine } from '../../src/engine/index.ts';
import type { RunningEngine } from '../../src/engine/index.ts';
import { makeLoadRunner } from '../../src/load/index.ts';
import { builtinProfile } from '../../src/sim/index.ts';
import { talkWorkload } from './contract-talks.ts';
import { runnerContract } from './runner-contract.ts';
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
