import type { Prompt, Workload } from '../../src/core/index.ts';
import { conversationPrompt, fromPrompts } from '../../src/inputs/workload/index.ts';

/** Turns of the conversations that the contract holds, one after the other: 3, 1, 4, 2, 5, 1, 3, 2 and again. */
export const talkTurns = [3, 1, 4, 2, 5, 1, 3, 2] as const;
export const talkThinkMs = 20;

/** Endlessly many conversations, `talk-0` of three turns, `talk-1` of one … */
export function talkWorkload(): Workload {
  const prompts: Prompt[] = Array.from({ length: 80 }, (_, number) =>
    conversationPrompt({
      id: `talk-${number}`,
      system: null,
      turns: Array.from({ length: talkTurns[number % talkTurns.length]! }, (__, turn) => `question ${turn}`),
      maxTokens: [],
      thinkMs: () => talkThinkMs,
      keepReasoning: false,
    }),
  );
  return { ...fromPrompts(prompts, { offset: 0, cycle: true }), conversations: true };
}
