import { randomStream } from '../../../core/index.ts';
import type { Phrase } from '../../../core/index.ts';
import { wrongShape } from '../layout-mistakes.ts';
import { fieldOf } from '../record-format.ts';
import type { ReadContext, RecordFormat, RecordPlace, RecordRead } from '../record-format.ts';
import { textMs } from '../trace-time.ts';

/** Tokens that one hash of a Mooncake trace stands for. */
const blockTokens = 512;

/** Mooncake: times in ms, lengths, and hashes of blocks of 512 input tokens; the same hash gives the same text. */
export const mooncakeFormat: RecordFormat = {
  about: {
    en: 'Mooncake trace: times, lengths and block hashes; equal hashes become equal text, so prefix caches see what they saw',
    zh: 'Mooncake 轨迹：时间、长度与块哈希；相同哈希生成相同文本，前缀缓存行为一致',
  },
  example: '{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}',
  field: 'input_length',
  timed: true,
  read(record, place, context) {
    const [at, input, output] = [
      count(record, 'timestamp', 0),
      count(record, 'input_length', 1),
      count(record, 'output_length', 0),
    ];
    if (at === null || input === null || output === null)
      return wrong(place, 'mooncake', 'timestamp, input_length, output_length');
    const hashes = fieldOf(record, 'hash_ids');
    const text = Array.isArray(hashes) ? blocksText(hashes, input, context) : lengthText(place, input, context);
    return { draft: { text, inputTokens: input, maxTokens: Math.max(1, output), atMs: at } };
  },
};

/** Azure LLM inference traces (2023, 2024): TIMESTAMP, ContextTokens, GeneratedTokens. */
export const azureFormat: RecordFormat = {
  about: {
    en: 'Azure LLM inference trace (CSV: TIMESTAMP, ContextTokens, GeneratedTokens); text is made to the lengths',
    zh: 'Azure LLM 推理轨迹（CSV：TIMESTAMP、ContextTokens、GeneratedTokens）；按长度生成文本',
  },
  example: 'TIMESTAMP,ContextTokens,GeneratedTokens ⏎ 2023-11-16 18:17:03.9799600,4808,10',
  field: 'ContextTokens',
  layout: 'csv',
  timed: true,
  read(record, place, context) {
    const time = fieldOf(record, 'TIMESTAMP');
    const at = typeof time === 'string' ? textMs(time) : null;
    const [input, output] = [count(record, 'ContextTokens', 1), count(record, 'GeneratedTokens', 0)];
    if (at === null || input === null || output === null) {
      return wrong(place, 'azure', 'TIMESTAMP, ContextTokens, GeneratedTokens');
    }
    const text = lengthText(place, input, context);
    return { draft: { text, inputTokens: input, maxTokens: Math.max(1, output), atMs: at } };
  },
};

/** BurstGPT: seconds, tokens of request and response; responses of 0 tokens were failures and are left out, as vLLM does. */
export const burstgptFormat: RecordFormat = {
  about: {
    en: 'BurstGPT trace (CSV: Timestamp, Model, Request tokens, Response tokens …); failed requests (0 tokens) are left out',
    zh: 'BurstGPT 轨迹（CSV：Timestamp、Model、Request tokens、Response tokens …）；失败请求（0 token）不计',
  },
  example:
    'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type ⏎ 5,ChatGPT,472,18,490,Conversation log',
  field: 'Request tokens',
  layout: 'csv',
  timed: true,
  filters: true,
  read(record, place, context) {
    const at = Number(fieldOf(record, 'Timestamp'));
    const [input, output] = [count(record, 'Request tokens', 0), count(record, 'Response tokens', 0)];
    if (!Number.isFinite(at) || at < 0 || input === null || output === null) {
      return wrong(place, 'burstgpt', 'Timestamp, Request tokens, Response tokens');
    }
    if (output === 0 || input === 0) return { skip: { en: 'no response (0 tokens)', zh: '无响应（0 token）' } };
    const model = fieldOf(record, 'Model');
    return {
      draft: {
        text: lengthText(place, input, context),
        inputTokens: input,
        maxTokens: output,
        atMs: at * 1000,
        ...(typeof model === 'string' && { labels: { model } }),
      },
    };
  },
};

/** Text of its own for every record. */
function lengthText(place: RecordPlace, tokens: number, { words, seed }: ReadContext): string {
  return words.text(tokens, randomStream(seed, `trace text ${place.line}`));
}

function blocksText(hashes: readonly unknown[], tokens: number, { words, seed }: ReadContext): string {
  const blocks: string[] = [];
  for (let left = tokens, i = 0; left > 0; left -= blockTokens, i++) {
    const name = i < hashes.length ? `block ${String(hashes[i])}` : `block after ${String(hashes.at(-1))} ${i}`;
    blocks.push(words.text(Math.min(left, blockTokens), randomStream(seed, name)));
  }
  return blocks.join(' ');
}

/** A whole number in a field, also written as text (CSV); null = it is none. */
function count(record: unknown, name: string, atLeast: number): number | null {
  const value = fieldOf(record, name);
  const number =
    typeof value === 'string' && value.trim() !== ''
      ? Number(value)
      : typeof value === 'bigint'
        ? Number(value)
        : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= atLeast ? number : null;
}

function wrong(place: RecordPlace, kind: string, names: string): RecordRead {
  const what: Phrase = { en: `needs ${names} as sound numbers`, zh: `需要有效的 ${names}` };
  return { mistake: wrongShape(place, kind, what) };
}
