import type { Ask, Generation } from '../../core/index.ts';

/** The prompt as one text: its own, or the last message. */
export function promptText(ask: Ask): string {
  const { text, messages } = ask.prompt;
  if (text !== null) return text;
  const last = messages.at(-1)?.content ?? '';
  return typeof last === 'string' ? last : JSON.stringify(last);
}

/** The longest answer that an ask allows; null = left to the server. */
export function maxTokensOf({ prompt, generation }: Ask): number | null {
  return prompt.maxTokens ?? generation.maxTokens;
}

/** Drops fields that are null or an empty list. */
export function known(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

const jsonHeaders = [
  ['content-type', 'application/json'],
  ['accept', 'application/json'],
] as const;
const streamHeaders = [
  ['content-type', 'application/json'],
  ['accept', 'text/event-stream, application/x-ndjson, application/json'],
] as const;

/** The headers of a JSON call; the same array every time, so that the sender writes them once. */
export function callHeaders(generation: Generation): readonly (readonly [string, string])[] {
  return generation.stream ? streamHeaders : jsonHeaders;
}
