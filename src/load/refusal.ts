import { problem } from '../core/index.ts';
import type { Problem } from '../core/index.ts';
import type { ResponseHead } from './http-reader.ts';

/** Why a response cannot be an answer, from its head alone; null = it may be one. */
export function refusal(head: ResponseHead): Problem | null {
  const { status, headers } = head;
  if (status >= 500) return problem('http-5xx', null, status);
  if (status === 429) return problem('http-429', null, status);
  if (status >= 400) return problem('http-4xx', null, status);
  if (status >= 300) return problem('http-redirect', headers.get('location') ?? null, status);
  const contentType = headers.get('content-type') ?? '';
  if (/^text\/html\b/i.test(contentType)) return problem('not-an-api', null, status);
  const coding = headers.get('content-encoding')?.toLowerCase() ?? 'identity';
  if (coding !== 'identity') return problem('malformed-stream', `a ${coding} answer though identity was asked`, status);
  return null;
}
