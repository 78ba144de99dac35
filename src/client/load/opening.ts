import { problem } from '../../core/index.ts';
import type { Problem } from '../../core/index.ts';

/** Beginning of a body that is kept until an event has been heard. */
const openingBytes = 300;
const fields = ['data', 'event', 'id', 'retry'];

/**
 * The beginning of a body that begins as no event and no JSON does, as far as it came; empty = it begins as one of them, or
 * may still.
 */
export function openingOf(before: string, bytes: Uint8Array): string {
  // Nearly all begin with `data`.
  if (before === '' && bytes[0] === 100 && bytes[1] === 97) return '';
  const text = (before + Buffer.from(bytes.subarray(0, openingBytes)).toString('utf8')).trimStart();
  return /^(?:[{["]|\ufeff|:|(?:data|event|id|retry)(?::|\s))/.test(text) ? '' : text.slice(0, openingBytes);
}

/** Why an answer in which no event was heard is none: the beginning of its body tells. */
export function strangeAnswer(opening: string, status: number | null): Problem {
  const words = opening.trim();
  if (words === '') return problem('empty-answer', 'an answer without a body', status);
  if (fields.some((field) => field.startsWith(words)))
    return problem('truncated-stream', 'the stream ended in its first word', status);
  return problem(/^<(!doctype|html|head|body|\?xml)/i.test(words) ? 'not-an-api' : 'malformed-stream', words, status);
}
