import { problem } from '../../core/index.ts';
import type { Problem } from '../../core/index.ts';
import type { ResponseHead } from './http-reader.ts';
import { readRetryAfter } from './retry-policy.ts';

/** Why a response cannot be an answer, from its head alone; null = it may be one. */
export function refusal(head: ResponseHead): Problem | null {
  const { status, headers } = head;
  if (status >= 500 || status === 429) {
    const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
    const busy = problem(status === 429 ? 'http-429' : 'http-5xx', null, status);
    return retryAfterMs === undefined ? busy : { ...busy, retryAfterMs };
  }
  if (status >= 400) return problem('http-4xx', null, status);
  if (status >= 300) return problem('http-redirect', headers.get('location') ?? null, status);
  if (status === 204 || status === 205) return problem('empty-answer', `status ${status}: no content`, status);
  const contentType = headers.get('content-type') ?? '';
  if (/^text\/html\b/i.test(contentType)) return problem('not-an-api', null, status);
  return null;
}

/** How an answer is packed, though identity was asked for; null = it is not. */
export function contentCoding({ headers }: ResponseHead): string | null {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  return coding === '' || coding === 'identity' ? null : coding;
}

/** How much of a refused answer is kept for its words. */
const keptChars = 4096;
/** A refusal whose words do not end has said enough: after so many bytes, and so long after its head. */
const mostBytes = 64 * 1024;
export const refusalMs = 1000;

/** The words of an answer that was refused, as they come. */
export class RefusalWords {
  #text = '';
  #bytes = 0;

  constructor(private readonly why: Problem) {}

  /** Takes more of the body; false = that was enough. */
  hear(bytes: Uint8Array): boolean {
    this.#bytes += bytes.length;
    if (this.#text.length < keptChars) this.#text += Buffer.from(bytes).toString('utf8');
    return this.#bytes <= mostBytes;
  }

  /** The refusal with the words that came with it, or those it has itself. */
  get problem(): Problem {
    const { code, status, words } = this.why;
    return { ...this.why, ...problem(code, this.#text === '' ? words : this.#text.slice(0, keptChars), status) };
  }
}
