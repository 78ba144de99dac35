import { isObject } from '../../core/index.ts';
import type { Ask } from '../../core/index.ts';
import { CumulativeText } from './cumulative-text.ts';
import { countIn, errorPart, notAnAnswer, usagePart, within } from './heard-parts.ts';
import type { Hearer } from './json-listener.ts';
import { jsonWire } from './json-wire.ts';
import { errorWords } from './openai-answer.ts';
import type { ParsedEvent } from './protocol.ts';
import { known, maxTokensOf, promptText } from './said-prompt.ts';
import { timesPart } from './server-times.ts';

/**
 * SGLang's own `/generate`: each event holds the text so far (or only what is new, under --incremental-streaming-output)
 * and `meta_info` with the counts so far; a finish reason that is not null ends an answer.
 */
export const sglang = jsonWire({
  name: 'sglang',
  path: '/generate',
  listsModels: true,
  saysOtherwise: ['prompt'],
  stream: { cut: 'objects', endsBy: 'finish' },
  body: (ask) => {
    const { generation } = ask;
    return {
      ...promptOf(ask),
      sampling_params: known({
        max_new_tokens: maxTokensOf(ask),
        min_new_tokens: generation.minTokens,
        temperature: generation.temperature,
        stop: generation.stop,
        ...(generation.ignoreEos && { ignore_eos: true }),
      }),
      stream: generation.stream,
    };
  },
  hearer: () => {
    const choices = new Map<unknown, Choice>();
    return (value) => hearAll(value, choices);
  },
});

/** Token numbers go as input_ids; the server refuses a text beside them. */
function promptOf({ prompt, generation }: Ask): Record<string, unknown> {
  const ids = prompt.body?.['prompt'];
  if (Array.isArray(ids)) return { input_ids: ids };
  const given = { ...generation.body, ...prompt.body };
  return 'input_ids' in given ? {} : { text: promptText({ seq: 0, prompt, generation }) };
}

/** One of the answers to a question; `n` in sampling_params asks for several, told apart by `index`. */
interface Choice {
  hear: Hearer;
  output: number | null;
  finished: boolean;
}

/** An event, or a whole answer: one object, or a list of them where several answers were asked for. */
function hearAll(value: unknown, choices: Map<unknown, Choice>): ParsedEvent[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0) return notAnAnswer(value, 'object');
  const heard: ParsedEvent[] = [];
  const indexOf = (item: unknown, place: number): unknown =>
    Array.isArray(value) ? place : isObject(item) ? item['index'] : undefined;
  for (const index of items.map(indexOf))
    if (!choices.has(index)) choices.set(index, { hear: choiceHearer(), output: null, finished: false });
  for (const [place, item] of items.entries()) {
    const choice = choices.get(indexOf(item, place))!;
    for (const piece of choice.hear(item)) {
      if (piece.kind === 'usage') {
        choice.output = piece.output;
        heard.push({ ...piece, output: outputOf([...choices.values()]) });
      } else if (piece.kind === 'finish') {
        choice.finished = true;
        // The stream is over when the last of them is.
        if ([...choices.values()].every(({ finished }) => finished)) heard.push(piece);
      } else heard.push(piece);
      if (piece.kind === 'problem') return heard;
    }
  }
  return heard;
}

/** Tokens of all answers that have told theirs. */
function outputOf(choices: readonly Choice[]): number | null {
  const told = choices.map(({ output }) => output).filter((output) => output !== null);
  return told.length === 0 ? null : told.reduce((sum, output) => sum + output, 0);
}

function choiceHearer(): Hearer {
  const texts = new SaidTexts();
  let counted = 0;
  return (value) => {
    if (!isObject(value)) return notAnAnswer(value, 'object');
    const error = errorPart(value);
    if (error !== null) return error;
    const { text } = value;
    const meta = within(value, 'meta_info');
    const ids = value['output_ids'];
    const total = countIn(meta['completion_tokens']);
    // A server without a tokenizer (--skip-tokenizer-init) says numbers only: they are its output.
    const said: unknown = text === undefined && Array.isArray(ids) ? `${ids.join(' ')} ` : text;
    if (typeof said !== 'string') return notAnAnswer(value, '"text"');
    const pieces = texts.hear(said, Array.isArray(ids) ? ids.length : null, total);
    const fresh = pieces.some(({ kind }) => kind === 'text');
    const tokens = total !== null && total > counted ? total - counted : null;
    if (fresh) counted = total ?? counted;
    const heard = pieces.map((piece) => (piece.kind === 'text' ? { ...piece, tokens } : piece));
    return [...heard, ...ended(meta)];
  };
}

/** What is new in each text. Whether texts repeat what was said is known from the second on: by the token numbers beside them, else by how it begins. */
class SaidTexts {
  #texts: CumulativeText | null = null;
  #first = '';

  hear(said: string, ids: number | null, total: number | null): ParsedEvent[] {
    if (this.#texts !== null) return this.#texts.hear('answer', said);
    if (said === '') return [];
    if (this.#first === '') {
      this.#first = said;
      return [{ kind: 'text', of: 'answer', text: said, events: 1, tokens: null }];
    }
    const repeats = ids !== null && total !== null ? ids === total : said.startsWith(this.#first);
    this.#texts = new CumulativeText(repeats);
    this.#texts.hear('answer', this.#first);
    return this.#texts.hear('answer', said);
  }
}

function ended(meta: Record<string, unknown>): ParsedEvent[] {
  const why = meta['finish_reason'];
  if (why === null || why === undefined) return [];
  const type = isObject(why) ? why['type'] : why;
  if (type === 'abort') return [{ kind: 'problem', code: 'in-stream-error', words: errorWords(why) }];
  const times = timesPart({ queueMs: inMs(meta['queue_time']), totalMs: inMs(meta['e2e_latency']) });
  return [
    { kind: 'finish', reason: typeof type === 'string' && type !== '' ? type : 'stop' },
    usagePart({
      input: meta['prompt_tokens'],
      output: meta['completion_tokens'],
      cached: meta['cached_tokens'],
      reasoning: meta['reasoning_tokens'],
    }),
    ...(times === null ? [] : [times]),
  ];
}

function inMs(seconds: unknown): unknown {
  return typeof seconds === 'number' ? seconds * 1000 : null;
}
