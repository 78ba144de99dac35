import { plainPrompt } from '../../src/inputs/workload/index.ts';

/** The prompts of the runner contract, the same in every thread. */
export const contractPrompts = Array.from({ length: 50 }, (_, i) => plainPrompt(`p${i}`, `question number ${i}`));
