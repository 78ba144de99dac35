import { builtinProfile, makeSimRunner } from '../../src/engine/sim/index.ts';
import { talkWorkload } from './contract-talks.ts';
import { runnerContract } from './runner-contract.ts';
import { talkContract } from './talk-contract.ts';

runnerContract(
  'virtual time',
  (workload) => Promise.resolve(makeSimRunner({ workload, profile: builtinProfile('qwen1.5-7b-mindie-8x910b4') })),
  () => 'http://virtual.invalid/v1/chat/completions',
);

talkContract(
  'virtual time',
  () =>
    Promise.resolve(
      makeSimRunner({ workload: () => talkWorkload(), profile: builtinProfile('qwen1.5-7b-mindie-8x910b4') }),
    ),
  () => 'http://virtual.invalid/v1/chat/completions',
);
