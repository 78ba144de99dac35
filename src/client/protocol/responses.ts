import { isObject } from '../../core/index.ts';
import { errorPart, notAnAnswer, textPart, usagePart, within } from './heard-parts.ts';
import { jsonWire } from './json-wire.ts';
import { errorWords } from './openai-answer.ts';
import type { ParsedEvent } from './protocol.ts';
import { known, maxTokensOf } from './said-prompt.ts';
import { metricsTimes } from './server-times.ts';

/** OpenAI's responses. */
export const responses = jsonWire({
  name: 'responses',
  path: '/v1/responses',
  listsModels: true,
  stream: { cut: 'events', endsBy: 'finish' },
  body: (ask, target) => {
    const { prompt, generation } = ask;
    return {
      model: target.model,
      input: prompt.messages.length > 0 ? prompt.messages : prompt.text,
      ...known({ max_output_tokens: maxTokensOf(ask), temperature: generation.temperature }),
      ...(generation.stream && { stream: true }),
    };
  },
  hearer: () => hearResponse,
});

const deltas: Readonly<Record<string, 'answer' | 'reasoning' | 'tool'>> = {
  'response.output_text.delta': 'answer',
  'response.refusal.delta': 'answer',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.function_call_arguments.delta': 'tool',
};

function hearResponse(value: unknown): ParsedEvent[] {
  if (!isObject(value)) return notAnAnswer(value, 'object');
  const type = value['type'];
  if (type === 'error')
    return [{ kind: 'problem', code: 'in-stream-error', words: errorWords(value['error'] ?? value) }];
  const error = errorPart(value);
  if (error !== null) return error;
  if (typeof type === 'string' && Object.hasOwn(deltas, type)) return textPart(deltas[type]!, value['delta']);
  if (type === 'response.failed') {
    return [
      { kind: 'problem', code: 'in-stream-error', words: errorWords(within(value, 'response')['error'] ?? value) },
    ];
  }
  if (type === 'response.completed' || type === 'response.incomplete') return ended(within(value, 'response'));
  if (value['object'] === 'response') {
    if (value['status'] === 'failed') return [{ kind: 'problem', code: 'in-stream-error', words: errorWords(value) }];
    return [...outputOf(value['output']), ...ended(value)];
  }
  return typeof type === 'string' ? [] : notAnAnswer(value, '"type"');
}

function ended(response: Record<string, unknown>): ParsedEvent[] {
  const usage = within(response, 'usage');
  const why = within(response, 'incomplete_details')['reason'];
  const times = metricsTimes(response['metrics']);
  return [
    usagePart({
      input: usage['input_tokens'],
      output: usage['output_tokens'],
      cached: within(usage, 'input_tokens_details')['cached_tokens'],
      reasoning: within(usage, 'output_tokens_details')['reasoning_tokens'],
    }),
    { kind: 'finish', reason: typeof why === 'string' ? why : 'stop' },
    ...(times === null ? [] : [times]),
  ];
}

/** The items of a whole answer: messages with parts of text, reasoning, calls of functions. */
function outputOf(output: unknown): ParsedEvent[] {
  if (!Array.isArray(output)) return [];
  return output.flatMap((item: unknown): ParsedEvent[] => {
    if (!isObject(item)) return [];
    if (item['type'] === 'function_call') return textPart('tool', item['arguments']);
    const parts = item['content'] ?? item['summary'];
    if (!Array.isArray(parts)) return [];
    const of = item['type'] === 'reasoning' ? 'reasoning' : 'answer';
    return parts.flatMap((part: unknown) => (isObject(part) ? textPart(of, part['text'] ?? part['refusal']) : []));
  });
}
