/**
 * What is asked: prompts, and workloads that hand them out one after the other.
 *
 * Knows nothing of files, wires, clocks or sockets: where prompts come from is the dataset room's business, when they
 * are asked is arrival's. A workload gives the same prompts in the same order every time it is made.
 *
 * Start reading at prompt.ts (how a question becomes a Prompt) and from-prompts.ts (the simplest workload);
 * take-ahead.ts is what a runner wraps around any workload, so that no prompt is read at the moment it is sent.
 */
export { fromPrompts } from './from-prompts.ts';
export type { PromptOrder } from './from-prompts.ts';
export { charCount, inputCharsOf, plainPrompt } from './prompt.ts';
export { takeAhead } from './take-ahead.ts';
export type { AheadWorkload } from './take-ahead.ts';
