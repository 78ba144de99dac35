import type { ParsedEvent } from './protocol.ts';

/** A piece of an answer that is larger than anything an answer holds. */
export class TooLarge extends RangeError {
  override name = 'TooLarge';

  constructor(what: string, mostBytes: number) {
    super(`${what} of more than ${mostBytes} bytes`);
  }
}

const tooDeep = 'JSON that is nested too deeply to be read';

/** What an error met while an answer was read says of the answer; any but these two is ours, and thrown on. */
export function unreadable(error: unknown): Extract<ParsedEvent, { kind: 'problem' }> {
  if (error instanceof TooLarge) return { kind: 'problem', code: 'answer-too-large', words: error.message };
  // The stack ran out: only a value nested thousands deep does that to whoever looks at it.
  if (error instanceof RangeError) return { kind: 'problem', code: 'malformed-stream', words: tooDeep };
  throw error;
}
