import { isObject } from '../../core/index.ts';
import { CumulativeText } from './cumulative-text.ts';
import { countIn, errorPart, notAnAnswer, textPart, usagePart, within } from './heard-parts.ts';
import type { Hearer } from './json-listener.ts';
import { jsonWire } from './json-wire.ts';
import { errorWords } from './openai-answer.ts';
import type { ParsedEvent } from './protocol.ts';
import { known, maxTokensOf, promptText } from './said-prompt.ts';

/** Hugging Face's text-generation-inference. */
export const tgi = jsonWire({
  name: 'tgi',
  path: '/generate_stream',
  wholePath: '/generate',
  stream: { cut: 'objects', endsBy: 'finish' },
  body: (ask) => {
    const { generation } = ask;
    const parameters = known({
      details: true,
      max_new_tokens: maxTokensOf(ask),
      temperature: generation.temperature === 0 ? null : generation.temperature,
      do_sample: generation.temperature === 0 ? false : null,
      stop: generation.stop,
      ...(generation.ignoreEos && { ignore_eos: true }),
    });
    return { inputs: promptText(ask), parameters, ...(generation.stream && { stream: true }) };
  },
  hearer: () => tgiHearer(),
});

/**
 * `{token, generated_text, details}` in a stream, `{generated_text, details}` (or a list of one) as a whole. MindIE's
 * /infer says the same with a list of token ids, and may repeat the text so far. A server that leaves the details out has
 * still told every token by its id.
 */
export function tgiHearer(): Hearer {
  const texts = new CumulativeText();
  let told = 0;
  return (given) => {
    const value: unknown = Array.isArray(given) ? given[0] : given;
    if (!isObject(value)) return notAnAnswer(given, 'object');
    const error = errorPart(value);
    if (error !== null) return error;
    const { token } = value;
    const whole = value['generated_text'];
    const heard: ParsedEvent[] = [];
    if (isObject(token)) {
      const ids = token['id'];
      const tokens = Array.isArray(ids) ? ids.length : 1;
      told += tokens;
      if (token['special'] !== true) heard.push(...texts.hear('answer', wordsOf(token['text']), tokens));
    } else if (typeof whole !== 'string') {
      return typeof value['message'] === 'string'
        ? [{ kind: 'problem', code: 'in-stream-error', words: errorWords(value) }]
        : notAnAnswer(value, '"token" and no "generated_text"');
    } else heard.push(...textPart('answer', whole));
    if (typeof whole === 'string') heard.push(...ended(value, told === 0 ? null : told));
    return heard;
  };
}

function ended(value: Record<string, unknown>, told: number | null): ParsedEvent[] {
  const details = within(value, 'details');
  const prefill = details['prefill'];
  const input =
    details['input_length'] ??
    details['prompt_tokens'] ??
    (Array.isArray(prefill) && prefill.length > 0 ? prefill.length : null);
  const reason = details['finish_reason'];
  const output = countIn(details['generated_tokens']) ?? told;
  return [
    { kind: 'finish', reason: typeof reason === 'string' && reason !== '' ? reason : 'stop' },
    ...(output === null && countIn(input) === null ? [] : [usagePart({ input, output })]),
  ];
}

function wordsOf(text: unknown): string {
  return typeof text === 'string' ? text : '';
}
