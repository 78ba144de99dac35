import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiNames } from '../../core/index.ts';
import type { ApiName } from '../../core/index.ts';
import { protocols } from './protocols.ts';
import type { ParsedEvent, Listener } from './protocol.ts';

/** More than 100 k cases over all listeners in the long run. */
const cases = process.env['LLMDYNO_LONG'] === '1' ? 4200 : 60;

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { type: string; [more: string]: unknown }): string => `event: ${value.type}\n${event(value)}`;
const words = ['天', '空 is', ' "blue"', '\n', ' 😀', '\\', ' end.'];
const chunk = (delta: unknown, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });

/** One good answer of each wire, as its documents show it, with characters of every width. */
const streams: Partial<Record<ApiName, string>> = {
  'openai-chat': `${words.map((content) => chunk({ content })).join('')}${chunk({}, 'stop')}${event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 7 } })}data: [DONE]\n\n`,
  'openai-completions': `${words.map((text) => event({ choices: [{ text, finish_reason: null }] })).join('')}${event({ choices: [{ text: '', finish_reason: 'length' }] })}data: [DONE]\n\n`,
  responses: `${named({ type: 'response.created' })}${words.map((delta) => named({ type: 'response.output_text.delta', delta })).join('')}${named({ type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 7 } } })}`,
  tgi: words
    .map((text, i) =>
      event({
        token: { id: i, text, special: false },
        generated_text: i === 6 ? words.join('') : null,
        details: i === 6 ? { finish_reason: 'length', generated_tokens: 7 } : null,
      }),
    )
    .join(''),
  triton: words.map((text_output) => event({ text_output })).join(''),
  mindie: words
    .map(
      (text_output, i) =>
        `${JSON.stringify({ text_output, details: { generated_tokens: i + 1, batch_size: 2, queue_wait_time: 90, ...(i === 6 && { finish_reason: 'length' }) } })}\0\0`,
    )
    .join(''),
  'vllm-generate': words.map((_, i) => `${JSON.stringify({ text: [words.slice(0, i + 1).join('')] })}\0`).join(''),
  sglang: `${words
    .map((_, i) =>
      event({
        text: words.slice(0, i + 1).join(''),
        output_ids: words.slice(0, i + 1).map((__, id) => id + 5),
        meta_info: {
          finish_reason: i === 6 ? { type: 'length', length: 7 } : null,
          prompt_tokens: 3,
          completion_tokens: i + 1,
          cached_tokens: 2,
          ...(i === 6 && { e2e_latency: 0.25 }),
        },
      }),
    )
    .join('')}data: [DONE]\n\n`,
  ollama: `${words.map((content) => `${JSON.stringify({ message: { content }, done: false })}\n`).join('')}${JSON.stringify({ message: { content: '' }, done: true, done_reason: 'stop', eval_count: 7, prompt_eval_count: 3 })}\n`,
  anthropic: `${named({ type: 'message_start', message: { usage: { input_tokens: 3 } } })}${words.map((text) => named({ type: 'content_block_delta', delta: { type: 'text_delta', text } })).join('')}${named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } })}${named({ type: 'message_stop' })}`,
  dashscope: words
    .map(
      (content, i) =>
        `id:${i}\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify({ output: { choices: [{ message: { content }, finish_reason: i === 6 ? 'stop' : 'null' }] }, usage: { input_tokens: 3, output_tokens: i + 1 } })}\n\n`,
    )
    .join(''),
};
const wholes: Partial<Record<ApiName, unknown>> = {
  'openai-chat': {
    choices: [{ message: { content: words.join('') }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 7 },
  },
  embeddings: { data: [{ embedding: [0.5, 1] }], usage: { prompt_tokens: 3 } },
  rerank: { results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 3 } },
  tgi: { generated_text: words.join(''), details: { finish_reason: 'length', generated_tokens: 7 } },
  sglang: {
    text: words.join(''),
    output_ids: [1, 2, 3, 4, 5, 6, 7],
    meta_info: {
      finish_reason: { type: 'stop', matched: 2 },
      prompt_tokens: 3,
      completion_tokens: 7,
      cached_tokens: 0,
    },
  },
  mindie: { text_output: words.join(''), details: { finish_reason: 'length', generated_tokens: 7 } },
  anthropic: {
    type: 'message',
    content: [{ type: 'text', text: words.join('') }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 7 },
  },
  responses: {
    object: 'response',
    output: [{ type: 'message', content: [{ type: 'output_text', text: words.join('') }] }],
    usage: { input_tokens: 3, output_tokens: 7 },
  },
};

interface Case {
  from: string;
  api: ApiName;
  stream: boolean;
  bytes: Uint8Array;
}
const encoder = new TextEncoder();
const byHand = 'made by hand';
const made: Case[] = apiNames.flatMap((api): Case[] => [
  ...(streams[api] === undefined ? [] : [{ from: byHand, api, stream: true, bytes: encoder.encode(streams[api]) }]),
  ...(wholes[api] === undefined
    ? []
    : [{ from: byHand, api, stream: false, bytes: encoder.encode(JSON.stringify(wholes[api])) }]),
]);

/** What real servers sent, each folder with its provenance. */
const fixtures = join(import.meta.dirname, '../../../test/fixtures/protocol');
const recordedAs: Readonly<Record<string, ApiName>> = {
  chat: 'openai-chat',
  choices: 'openai-chat',
  azure: 'openai-chat',
  tools: 'openai-chat',
  reasoning: 'openai-chat',
  tgi: 'tgi',
  completions: 'openai-completions',
  responses: 'responses',
  messages: 'anthropic',
  ollama: 'ollama',
  generate: 'sglang',
};
const recorded: Case[] = readdirSync(fixtures).flatMap((server) =>
  readdirSync(join(fixtures, server)).flatMap((file): Case[] => {
    const [, wire, how] = /^(\w+)-(stream|whole)\.http$/.exec(file) ?? [];
    const api = recordedAs[wire ?? ''];
    if (api === undefined) return [];
    const bytes = readFileSync(join(fixtures, server, file));
    const body = Uint8Array.from(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4));
    return [{ from: `${server} ${wire}`, api, stream: how === 'stream', bytes: body }];
  }),
);
const all = [...made, ...recorded];
const listenerOf = ({ api, stream }: Case): Listener =>
  protocols[api].listen({ stream, contentType: stream ? 'text/event-stream' : 'application/json', promptText: null });

/** What an answer amounts to, however it came in. */
function meaning(
  one: Case,
  bytes: Uint8Array,
  cuts: readonly number[],
): { text: string; facts: ParsedEvent[]; problem: string | null } {
  const listener = listenerOf(one);
  const edges = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  const heard: ParsedEvent[] = [];
  let at = 0;
  for (const edge of [...edges, bytes.length]) {
    // The bytes are only borrowed: what is handed in is overwritten afterwards.
    const piece = bytes.slice(at, edge);
    heard.push(...listener.hear(piece));
    piece.fill(88);
    at = edge;
  }
  heard.push(...listener.close());
  let text = '';
  for (const each of heard) {
    if (each.kind === 'text') text += each.text;
    if (each.kind === 'restated') ({ text } = each);
  }
  const found = heard.find((each) => each.kind === 'problem');
  return {
    text,
    facts: heard.filter((each) => each.kind === 'usage' || each.kind === 'finish'),
    problem: found?.kind === 'problem' ? found.code : null,
  };
}

describe.each(all)('$api, streamed: $stream, $from', (one) => {
  test('a good answer is understood', () => {
    const { text, problem } = meaning(one, one.bytes, []);
    expect(problem).toBeNull();
    if (one.from !== byHand) expect(text).toMatch(/\S/);
    else expect(text).toBe(one.api === 'embeddings' || one.api === 'rerank' ? '' : words.join(''));
  });

  test('it means the same wherever it is cut, down to single bytes', () => {
    const truth = meaning(one, one.bytes, []);
    expect(meaning(one, one.bytes, Array.from(one.bytes.keys()))).toEqual(truth);
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 30 }), (cuts) => {
        expect(meaning(one, one.bytes, cuts)).toEqual(truth);
      }),
      { numRuns: cases },
    );
  });

  test('damaged in any way it neither throws nor hangs, and nothing follows a problem', () => {
    const damage = fc.array(
      fc.record({ at: fc.nat(100_000), byte: fc.nat(255), way: fc.constantFrom('set', 'drop', 'insert') }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(damage, fc.array(fc.nat(100_000), { maxLength: 6 }), (changes, cuts) => {
        const bytes = [...one.bytes];
        for (const { at, byte, way } of changes) {
          const place = at % bytes.length;
          if (way === 'set') bytes[place] = byte;
          else bytes.splice(place, way === 'drop' ? 1 : 0, ...(way === 'insert' ? [byte] : []));
        }
        const listener = listenerOf(one);
        const whole = Uint8Array.from(bytes);
        const heard = [...listener.hear(whole), ...listener.close()];
        const at = heard.findIndex(({ kind }) => kind === 'problem');
        expect(at === -1 || at === heard.length - 1).toBe(true);
        // The same damage means the same however it is cut.
        expect(meaning(one, whole, cuts)).toEqual(meaning(one, whole, []));
      }),
      { numRuns: cases },
    );
  });

  test('cut off before its last word it is never whole', () => {
    if (one.api === 'triton' || one.api === 'vllm-generate') return;
    fc.assert(
      fc.property(fc.nat(one.bytes.length - 1), (end) => {
        const left = one.bytes.slice(0, end);
        const { text, problem, facts } = meaning(one, left, []);
        // Its last word is a reason for the end, or [DONE] where a server gives none (aiperf's mock, when all was thought).
        const finished =
          facts.some(({ kind }) => kind === 'finish') || new TextDecoder().decode(left).includes('data: [DONE]');
        // Nothing at all is left to the sender, who calls it an empty answer.
        expect(problem !== null || finished || text === '').toBe(true);
      }),
      { numRuns: cases },
    );
  });
});
