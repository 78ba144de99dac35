import { isObject } from '../../core/index.ts';
import type { OutputKind } from '../../core/index.ts';
import { errorWords } from './openai-answer.ts';
import type { ParsedEvent } from './protocol.ts';

/** A piece of output; nothing for no text. */
export function textPart(of: OutputKind, text: unknown, tokens: number | null = null): ParsedEvent[] {
  return typeof text === 'string' && text !== '' ? [{ kind: 'text', of, text, events: 1, tokens }] : [];
}

/** A count as a server writes it; null for anything that is no whole number from 0. */
export function countIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Usage under the names a wire has for it. */
export function usagePart(usage: {
  input?: unknown;
  output?: unknown;
  cached?: unknown;
  reasoning?: unknown;
}): ParsedEvent {
  return {
    kind: 'usage',
    input: countIn(usage.input),
    output: countIn(usage.output),
    cached: countIn(usage.cached),
    reasoning: countIn(usage.reasoning),
  };
}

/** The problem of a value that is no answer of its wire. */
export function notAnAnswer(value: unknown, missing: string): ParsedEvent[] {
  return [{ kind: 'problem', code: 'malformed-stream', words: `no ${missing} in ${JSON.stringify(value) ?? ''}` }];
}

/** The error that an object tells instead of an answer; null = it tells none. */
export function errorPart(value: Record<string, unknown>): ParsedEvent[] | null {
  const error = value['error'];
  if (error === undefined || error === null || error === '') return null;
  return [{ kind: 'problem', code: 'in-stream-error', words: errorWords(error) }];
}

/** A field that is an object, or an empty one. */
export function within(value: unknown, name: string): Record<string, unknown> {
  const inner = isObject(value) ? value[name] : undefined;
  return isObject(inner) ? inner : {};
}
