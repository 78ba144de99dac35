import { problem } from '../core/index.ts';
import type { Problem } from '../core/index.ts';
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
  const contentType = headers.get('content-type') ?? '';
  if (/^text\/html\b/i.test(contentType)) return problem('not-an-api', null, status);
  const coding = headers.get('content-encoding')?.toLowerCase() ?? 'identity';
  if (coding !== 'identity') return problem('malformed-stream', `a ${coding} answer though identity was asked`, status);
  return null;
}

/** How much of a refused answer is read for its words. */
export const refusalBytes = 4096;

/** A refusal with the words that came with it. */
export function refusedWith(why: Problem, body: string): Problem {
  return { ...why, ...problem(why.code, body.slice(0, refusalBytes), why.status) };
}
