import { isObject } from '../../core/index.ts';
import { errorPart, notAnAnswer, usagePart, within } from './heard-parts.ts';
import { jsonWire } from './json-wire.ts';
import type { ParsedEvent } from './protocol.ts';
import { promptText } from './said-prompt.ts';

/** An answer that is no text is still an answer: output of no characters and no tokens. */
const something: ParsedEvent = { kind: 'text', of: 'answer', text: '', events: 1, tokens: 0 };

/** OpenAI's embeddings; a prompt with an `input` of its own (a batch) sends that. */
export const embeddings = jsonWire({
  name: 'embeddings',
  path: '/v1/embeddings',
  listsModels: true,
  body: (ask, target) => ({ model: target.model, input: promptText(ask) }),
  hearer: () => (value) => {
    if (!isObject(value)) return notAnAnswer(value, 'object');
    const error = errorPart(value);
    if (error !== null) return error;
    const { data } = value;
    const vectors = Array.isArray(data) ? data.filter((item) => isObject(item) && hasVector(item['embedding'])) : [];
    if (vectors.length === 0) return notAnAnswer(value, 'embedding');
    const usage = within(value, 'usage');
    return [something, usagePart({ input: usage['prompt_tokens'] ?? usage['total_tokens'], output: 0 })];
  },
});

/** A list of numbers, or base64 of them. */
function hasVector(embedding: unknown): boolean {
  return (Array.isArray(embedding) && embedding.length > 0) || (typeof embedding === 'string' && embedding !== '');
}

/** Rerank as Jina, Cohere, vLLM and others have it; a prompt with `query` and `documents` of its own sends those. */
export const rerank = jsonWire({
  name: 'rerank',
  path: '/v1/rerank',
  listsModels: true,
  body: (ask, target) => {
    const text = promptText(ask);
    return { model: target.model, query: text, documents: [text] };
  },
  hearer: () => (value) => {
    if (!isObject(value)) return notAnAnswer(value, 'object');
    const error = errorPart(value);
    if (error !== null) return error;
    const results = value['results'] ?? value['data'];
    const scored = Array.isArray(results)
      ? results.filter((item) => isObject(item) && typeof (item['relevance_score'] ?? item['score']) === 'number')
      : [];
    if (scored.length === 0) return notAnAnswer(value, 'relevance_score');
    const usage = within(value, 'usage');
    const billed = within(within(value, 'meta'), 'tokens');
    return [
      something,
      usagePart({ input: usage['prompt_tokens'] ?? usage['total_tokens'] ?? billed['input_tokens'], output: 0 }),
    ];
  },
});
