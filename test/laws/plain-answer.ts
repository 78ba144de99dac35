import type { PlainAnswer } from './plain-http.ts';

/** What a streamed chat answer says; null = it is not a good one. */
export type PlainSaid = { text: string; input: number | null; output: number | null } | null;

const shape =
  /^\{"id":"[^"]*","choices":\[(?:\{"index":0,"delta":\{(?:"content":"(?:[^"\\]|\\.)*")?\},"finish_reason":(?:null|"[^"]*")\})?\](?:,"usage":\{"prompt_tokens":\d{1,6},"completion_tokens":\d{1,6}\})?\}$/;

/**
 * A second reading of a streamed answer, for tests: splits strings and parses every event. Events whose JSON has other
 * members than the plainest are 'unusual': what those mean is decided elsewhere.
 */
export function plainAnswer(http: PlainAnswer): PlainSaid | 'unusual' {
  if (http.verdict === 'more' || http.verdict === 'bad') return null;
  // Bytes to characters as UTF-8: a damaged one becomes a replacement character, as browsers do it.
  const body = new TextDecoder().decode(Buffer.from(http.body, 'latin1'));
  if (http.status !== 200) return http.status < 300 ? 'unusual' : null;
  if (body.includes('\r') || body.includes('\0') || http.verdict === 'open') return 'unusual';
  let [text, input, output, done, finished] = ['', null as number | null, null as number | null, false, false];
  for (const block of body.split(/\n\n+/)) {
    const lines = block.split('\n').filter((line) => line === 'data' || line.startsWith('data:'));
    if (lines.length === 0) continue;
    const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
    if (data.trim() === '[DONE]') {
      done = true;
      continue;
    }
    let value: {
      choices: { delta: { content?: string }; finish_reason: string | null }[];
      usage?: Record<string, number>;
    };
    try {
      value = JSON.parse(data) as typeof value;
    } catch {
      return null;
    }
    if (!shape.test(data)) return 'unusual';
    text += value.choices[0]?.delta.content ?? '';
    if (value.choices[0]?.finish_reason != null) finished = true;
    if (value.usage !== undefined) ({ prompt_tokens: input, completion_tokens: output } = value.usage as never);
  }
  return text !== '' && (done || finished) ? { text, input, output } : null;
}
