import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hearObject } from './openai-answer.ts';
import { OpenaiStreamListener } from './openai-listener.ts';
import type { ParsedEvent } from './protocol.ts';

/** What an answer amounts to, however it was cut into pieces. */
function gist(heard: readonly ParsedEvent[]): object {
  const text = { answer: '', reasoning: '', tool: '' };
  let events = 0;
  for (const piece of heard) {
    if (piece.kind !== 'text') continue;
    text[piece.of] += piece.text;
    events += piece.events;
  }
  const rest = heard
    .filter(({ kind }) => kind !== 'text' && kind !== 'stamp')
    .map((piece) => (piece.kind === 'problem' ? piece.code : piece));
  return { text, events, rest, stamps: heard.some(({ kind }) => kind === 'stamp') };
}

/** The plain way: every event through JSON.parse. */
function slowly(bytes: Uint8Array): ParsedEvent[] {
  const heard: ParsedEvent[] = [];
  let finished = false;
  for (const event of new TextDecoder().decode(bytes).split('\n\n')) {
    if (!event.startsWith('data: ')) continue;
    const data = event.slice(6);
    if (data.trim() === '[DONE]') {
      finished = true;
      continue;
    }
    let pieces: ParsedEvent[];
    try {
      pieces = hearObject(JSON.parse(data));
    } catch {
      return [...heard, { kind: 'problem', code: 'malformed-stream', words: data }];
    }
    heard.push(...pieces);
    if (pieces.some(({ kind }) => kind === 'problem')) return heard;
    if (pieces.some(({ kind }) => kind === 'finish')) finished = true;
  }
  return finished ? heard : [...heard, { kind: 'problem', code: 'truncated-stream', words: '' }];
}

function quickly(bytes: Uint8Array, cuts: readonly number[]): ParsedEvent[] {
  const listener = new OpenaiStreamListener();
  const heard: ParsedEvent[] = [];
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    const to = Math.max(from, cut);
    // As the load hands them in: first what can be understood where it stands, then the rest.
    const rest = listener.parseFast(bytes, from, to, {
      piece: (buffer, { of, textFrom, textTo, stampFrom, stampTo }, said) => {
        const text = said ?? new TextDecoder().decode(buffer.slice(textFrom, textTo));
        // Whoever takes a stamp out of the bytes looks whether it is one.
        if (/^\d+(?:\.\d+)?$/.test(new TextDecoder().decode(buffer.slice(stampFrom, stampTo))))
          heard.push({ kind: 'stamp', emitNs: 0n });
        heard.push({ kind: 'text', of: of!, text, events: 1, tokens: null });
      },
    });
    heard.push(...listener.hear(bytes.slice(rest, to)));
    from = to;
  }
  return [...heard, ...listener.close()];
}

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(' the', '你好', 'a"b', 'x\\y', '\n', '\t', '😀', 'é', '"content":"', '}]}', ' '),
  },
  fc.string({ unit: 'grapheme', minLength: 1 }),
);
const stream = fc
  .record({
    pieces: fc.array(fc.tuple(fc.constantFrom('content', 'content', 'content', 'reasoning_content'), piece), {
      minLength: 1,
      maxLength: 12,
    }),
    id: fc.oneof(fc.constantFrom('chatcmpl-1', 'a\\b', 'x"y', ''), fc.string({ maxLength: 12 })),
    created: fc.oneof(fc.nat(), fc.constantFrom(null, 'soon')),
    begun: fc.boolean(),
    stamped: fc.boolean(),
    stampFirst: fc.boolean(),
    stampBare: fc.boolean(),
    spaced: fc.boolean(),
    prompt: fc.oneof(fc.nat(5000), fc.constantFrom(null, 1e15, -1, 0.5)),
    total: fc.boolean(),
    cached: fc.option(fc.nat(3)),
    together: fc.boolean(),
  })
  .map(({ pieces, id, created, begun, stamped, stampFirst, stampBare, spaced, prompt, total, cached, together }) => {
    const json = (value: unknown): string =>
      spaced ? JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ') : JSON.stringify(value);
    const events = pieces.map(([key, text], i) => {
      const ns = 123_456_789_000 + i;
      const stamp = stamped ? { emit_ns: stampBare ? ns : String(ns) } : {};
      const body = {
        id,
        object: 'chat.completion.chunk',
        ...(created !== null && { created }),
        choices: [{ index: 0, delta: { [key]: text }, finish_reason: null }],
      };
      return json(stampFirst ? { ...stamp, ...body } : { ...body, ...stamp });
    });
    const role = { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] };
    const usage = {
      prompt_tokens: prompt,
      ...(total && { total_tokens: (prompt ?? 0) + pieces.length }),
      completion_tokens: pieces.length,
      ...(cached !== null && { prompt_tokens_details: { cached_tokens: cached } }),
    };
    const finish = { id, created: 5, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    const end = together ? [json({ ...finish, usage })] : [json(finish), json({ id, choices: [], usage })];
    end.push('[DONE]');
    return new TextEncoder().encode(
      [...(begun ? [json({ id, ...role })] : []), ...events, ...end].map((data) => `data: ${data}\n\n`).join(''),
    );
  });
const numRuns = process.env['LLMDYNO_LONG'] === '1' ? 100_000 : 2000;
const atMostMs = 3_600_000;

// The shapes of one answer are known to the next: the streams of a property follow one another as a server's answers do.
describe('understanding events by their shape', () => {
  test(
    'gives what parsing every event gives, wherever the stream is cut',
    () => {
      fc.assert(
        fc.property(stream, fc.array(fc.nat(2000), { maxLength: 6 }), (bytes, cuts) => {
          expect(
            gist(
              quickly(
                bytes,
                cuts.filter((cut) => cut < bytes.length),
              ),
            ),
          ).toEqual(gist(slowly(bytes)));
        }),
        { numRuns, seed: 7 },
      );
    },
    atMostMs,
  );

  test(
    'also when bytes are changed: a broken event is never taken for a good one',
    () => {
      const change = fc.record({ at: fc.integer({ min: 0, max: 1_000_000 }), byte: fc.integer({ min: 1, max: 127 }) });
      fc.assert(
        fc.property(stream, fc.array(change, { minLength: 1, maxLength: 3 }), (whole, changes) => {
          const bytes = whole.slice();
          // Line ends and field names are the reader's business, tested beside it: only what is inside events is changed.
          const inside = [...new TextDecoder('latin1').decode(whole).matchAll(/(?<=data: [^\n]*)[^\n]/g)].map(
            ({ index }) => index,
          );
          for (const { at, byte } of changes) {
            if (byte !== 10 && byte !== 13) bytes[inside[at % inside.length]!] = byte;
          }
          // A read is stamped by its first event: where that stamp was broken, the read has none, whatever the next ones say.
          expect({ ...gist(quickly(bytes, [])), stamps: null }).toEqual({ ...gist(slowly(bytes)), stamps: null });
        }),
        { numRuns, seed: 8 },
      );
    },
    atMostMs,
  );
});
