/**
 * What is asked: prompts, and workloads that hand them out one after the other.
 *
 * Knows nothing of files, wires, clocks or sockets: where prompts come from is the dataset room's business, when they
 * are asked is arrival's. A workload gives the same prompts in the same order every time it is made.
 *
 * Start reading at prompt.ts (how a question becomes a Prompt) and from-prompts.ts (the simplest workload); synthetic.ts
 * makes prompts by number from draw-length.ts and word-text.ts, conversation.ts holds several turns;
 * take-ahead.ts is what a runner wraps around any workload, so that no prompt is read at the moment it is sent.
 */
export { ChunkCutter, continuationPrompt, continuationTemplate, fillTemplate } from './continuation.ts';
export { conversationPrompt } from './conversation.ts';
export type { Script } from './conversation.ts';
export { thinkDrawer } from './draw-think.ts';
export { lengthDrawer, meanLength, zipfPicker } from './draw-length.ts';
export { exactWords } from './exact-text.ts';
export type { TokenCoder } from './exact-text.ts';
export { fromPrompts } from './from-prompts.ts';
export { linePrompts } from './line-text.ts';
export { mixPlaces } from './mix.ts';
export { charCount, inputCharsOf, plainPrompt } from './prompt.ts';
export { takeAhead } from './take-ahead.ts';
export type { AheadWorkload } from './take-ahead.ts';
export { PrefixBook } from './prefix-book.ts';
export { randomPrompts, sharedPrefixPrompts, withOutputLengths } from './synthetic.ts';
export { plainWords, shortWords } from './word-text.ts';
export type { WordSource } from './word-text.ts';
