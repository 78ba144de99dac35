import { builtinProfile, makeSimRunner } from '../../src/sim/index.ts';
import { runnerContract } from './runner-contract.ts';

runnerContract(
  'virtual time',
  (workload) => Promise.resolve(makeSimRunner({ workload, profile: builtinProfile('qwen1.5-7b-mindie-8x910b4') })),
  () => 'http://virtual.invalid/v1/chat/completions',
);
