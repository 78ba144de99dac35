import type { Answer, Message, Prompt } from '../../core/index.ts';

/** A conversation to be held: what the user says turn by turn; the server's own answers stand between. */
export interface Script {
  id: string;
  system: string | null;
  turns: readonly string[];
  /** Longest answer per turn; null = the plan's. */
  maxTokens: readonly (number | null)[];
  /** How long the user takes before a turn, ms; null = no time at all. */
  thinkMs: ((turn: number) => number) | null;
  /** Reasoning text is left out of the history unless asked for: servers drop it too. */
  keepReasoning: boolean;
}

/** The first turn of a conversation; each `follow` gives the next one with the history as it really went. */
export function conversationPrompt(script: Script): Prompt {
  const opening: Message[] = script.system === null ? [] : [{ role: 'system', content: script.system }];
  return turnPrompt(script, opening, 0);
}

function turnPrompt(script: Script, history: readonly Message[], turn: number): Prompt {
  const question = script.turns[turn]!;
  const messages: Message[] = [...history, { role: 'user', content: question }];
  return {
    id: turn === 0 ? script.id : `${script.id}#${turn + 1}`,
    messages,
    text: null,
    inputTokens: null,
    maxTokens: script.maxTokens[turn] ?? null,
    labels: { session: script.id, turn: String(turn + 1) },
    ...(script.thinkMs !== null && { thinkMs: script.thinkMs(turn + 1) }),
    turns: script.turns.length - turn,
    follow: (answer) =>
      turn + 1 < script.turns.length ? turnPrompt(script, [...messages, said(script, answer)], turn + 1) : null,
  };
}

function said({ keepReasoning }: Script, { text, reasoning }: Answer): Message {
  const content = keepReasoning && reasoning !== '' ? `<think>\n${reasoning}\n</think>\n\n${text}` : text;
  return { role: 'assistant', content };
}
