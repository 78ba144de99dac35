import { hearObject } from './openai-answer.ts';
import type { Heard, Listener } from './protocol.ts';
import { SseReader } from './sse-reader.ts';

/** Hears a streamed answer: events of JSON, ended by `[DONE]` or a finish reason. */
export class OpenaiStreamListener implements Listener {
  #reader = new SseReader();
  #finished = false;
  #broken = false;

  hear(bytes: Uint8Array): Heard[] {
    if (this.#broken) return [];
    try {
      return this.#events(this.#reader.push(bytes));
    } catch (error) {
      return this.#break((error as Error).message);
    }
  }

  close(): Heard[] {
    if (this.#broken) return [];
    const heard = this.#events(this.#reader.end());
    if (!this.#finished && !this.#broken) {
      heard.push({
        kind: 'problem',
        code: 'truncated-stream',
        words: 'the stream ended without [DONE] or a finish reason',
      });
    }
    return heard;
  }

  #events(events: string[]): Heard[] {
    if (events.length === 1) return this.#event(events[0]!);
    return events.flatMap((event) => this.#event(event));
  }

  #event(data: string): Heard[] {
    if (this.#broken) return [];
    if (data.trim() === '[DONE]') {
      this.#finished = true;
      return [];
    }
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      return this.#break(data);
    }
    const heard = hearObject(value);
    for (const piece of heard) {
      if (piece.kind === 'finish') this.#finished = true;
      if (piece.kind === 'problem') this.#broken = true;
    }
    return heard;
  }

  #break(words: string): Heard[] {
    this.#broken = true;
    return [{ kind: 'problem', code: 'malformed-stream', words }];
  }
}

/** Largest answer taken in one piece. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Hears an answer that comes in one piece of JSON. */
export class OpenaiWholeListener implements Listener {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  hear(bytes: Uint8Array): Heard[] {
    this.#bytes += bytes.length;
    if (this.#bytes > maxBodyBytes) {
      this.#pieces = [];
      return [{ kind: 'problem', code: 'malformed-stream', words: `an answer of more than ${maxBodyBytes} bytes` }];
    }
    this.#pieces.push(bytes.slice());
    return [];
  }

  close(): Heard[] {
    const text = joinText(this.#pieces);
    if (text.trim() === '') return [];
    try {
      return hearObject(JSON.parse(text));
    } catch {
      return [{ kind: 'problem', code: 'malformed-stream', words: text }];
    }
  }
}

function joinText(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}
