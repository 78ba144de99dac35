import { timeMs } from '../trace-time.ts';
import { wrongShape } from '../layout-mistakes.ts';
import { fieldOf } from '../record-format.ts';
import type { Draft, RecordFormat } from '../record-format.ts';
import { messagesOf } from './messages-format.ts';

/** Fields that the plan decides: they are not taken from the record. */
const planned = new Set([
  'model',
  'messages',
  'prompt',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
]);

/** Whole request bodies, bare or under `body` (OpenAI batch files, request logs); with `timestamp` they can be replayed. */
export const requestsFormat: RecordFormat = {
  about: {
    en: 'whole OpenAI request bodies, bare or under "body", with "timestamp" where they were logged; fields are kept, the model is the plan\'s',
    zh: '完整的 OpenAI 请求体（直接给出或在 "body" 中），日志可带 "timestamp"；保留各字段，模型以计划为准',
  },
  example: '{"timestamp": 1763170000.25, "body": {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 64}}',
  field: 'messages',
  timed: true,
  read(record, place) {
    const body = fieldOf(record, 'body') ?? record;
    const draft = draftOf(body);
    if (draft === null) {
      return {
        mistake: wrongShape(place, 'requests', {
          en: 'neither "messages" nor a "prompt" of text or token numbers in the body',
          zh: '请求体中既没有 "messages"，也没有文本或 token id 形式的 "prompt"',
        }),
      };
    }
    const atMs = timeMs(fieldOf(record, 'timestamp'));
    return { draft: { ...draft, ...(atMs !== null && { atMs }) } };
  },
};

function draftOf(body: unknown): Draft | null {
  const messages = messagesOf(fieldOf(body, 'messages'));
  const prompt = fieldOf(body, 'prompt');
  const ids = tokenNumbers(prompt);
  if (messages === null && ids === null && (typeof prompt !== 'string' || prompt === '')) return null;
  const most = fieldOf(body, 'max_completion_tokens') ?? fieldOf(body, 'max_tokens');
  const rest = Object.entries(body as object).filter(([name]) => !planned.has(name) && name !== '__proto__');
  return {
    ...(messages !== null && { messages }),
    ...(typeof prompt === 'string' && { text: prompt }),
    ...(ids !== null && { text: '', inputTokens: ids.length }),
    ...(typeof most === 'number' && Number.isSafeInteger(most) && most > 0 && { maxTokens: most }),
    ...((rest.length > 0 || ids !== null) && {
      body: { ...(Object.fromEntries(rest) as Record<string, unknown>), ...(ids !== null && { prompt: ids }) },
    }),
  };
}

/** A prompt of token numbers, which completions wires of vLLM and SGLang take; null = it is none. */
function tokenNumbers(prompt: unknown): number[] | null {
  if (!Array.isArray(prompt) || prompt.length === 0) return null;
  return prompt.every((id) => Number.isSafeInteger(id) && (id as number) >= 0) ? (prompt as number[]) : null;
}
