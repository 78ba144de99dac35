import { isObject } from '../../core/index.ts';
import { CumulativeText } from './cumulative-text.ts';
import { errorPart, notAnAnswer } from './heard-parts.ts';
import { jsonWire } from './json-wire.ts';
import { known, maxTokensOf, promptText } from './said-prompt.ts';

/**
 * vLLM's own demonstration server (`/generate`, 2023): JSON objects ended by NUL bytes, each with the prompt and
 * everything said so far; it tells neither usage nor a finish, so the end of the body is the end.
 */
export const vllmGenerate = jsonWire({
  name: 'vllm-generate',
  path: '/generate',
  stream: { cut: 'objects', endsBy: 'body' },
  body: (ask) => {
    const { generation } = ask;
    return {
      prompt: promptText(ask),
      ...known({
        max_tokens: maxTokensOf(ask),
        temperature: generation.temperature,
        stop: generation.stop,
        min_tokens: generation.minTokens,
      }),
      ...(generation.ignoreEos && { ignore_eos: true }),
      stream: generation.stream,
    };
  },
  hearer: ({ promptText: prompt }) => {
    const texts = new CumulativeText(true);
    return (value) => {
      if (!isObject(value)) return notAnAnswer(value, 'object');
      const error = errorPart(value);
      if (error !== null) return error;
      const { text } = value;
      const said: unknown = Array.isArray(text) ? text[0] : text;
      if (typeof said !== 'string') return notAnAnswer(value, '"text"');
      const answer = prompt != null && said.startsWith(prompt) ? said.slice(prompt.length) : said;
      return texts.hear('answer', answer);
    };
  },
});
