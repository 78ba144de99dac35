import { isObject } from '../../core/index.ts';
import { notAnAnswer, textPart, usagePart, within } from './heard-parts.ts';
import { jsonWire } from './json-wire.ts';
import type { ParsedEvent } from './protocol.ts';
import { known, maxTokensOf } from './said-prompt.ts';

/** Alibaba's DashScope (Model Studio), its own wire; each event holds only what is new (`incremental_output`). */
export const dashscope = jsonWire({
  name: 'dashscope',
  path: '/api/v1/services/aigc/text-generation/generation',
  // The server ignores this header where a whole answer is asked for.
  headers: [['x-dashscope-sse', 'enable']],
  stream: { cut: 'events', endsBy: 'finish' },
  body: (ask, target) => {
    const { generation } = ask;
    const parameters = known({
      result_format: 'message',
      max_tokens: maxTokensOf(ask),
      temperature: generation.temperature,
      stop: generation.stop,
      ...(generation.stream && { incremental_output: true }),
    });
    return { model: target.model, input: { messages: ask.prompt.messages }, parameters };
  },
  hearer: () => (value) => {
    if (!isObject(value)) return notAnAnswer(value, 'object');
    const code = value['code'];
    if (typeof code === 'string' && code !== '') {
      const message = value['message'];
      return [
        { kind: 'problem', code: 'in-stream-error', words: `${code}: ${typeof message === 'string' ? message : ''}` },
      ];
    }
    const { output } = value;
    if (!isObject(output)) return notAnAnswer(value, '"output"');
    const choices = Array.isArray(output['choices']) ? output['choices'] : [output];
    const heard = choices.flatMap((choice: unknown): ParsedEvent[] => {
      if (!isObject(choice)) return [];
      const message = within(choice, 'message');
      const reason = choice['finish_reason'];
      return [
        ...textPart('reasoning', message['reasoning_content']),
        ...textPart('answer', message['content'] ?? choice['text']),
        // "null" as a word is what this server writes while it goes on.
        ...(typeof reason === 'string' && reason !== '' && reason !== 'null'
          ? [{ kind: 'finish', reason } as const]
          : []),
      ];
    });
    const usage = within(value, 'usage');
    if (usage['output_tokens'] !== undefined)
      heard.push(usagePart({ input: usage['input_tokens'], output: usage['output_tokens'] }));
    return heard;
  },
});
