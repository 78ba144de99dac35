import { isObject } from '../../core/index.ts';
import type { Message } from '../../core/index.ts';
import { errorPart, notAnAnswer, textPart, usagePart, within } from './heard-parts.ts';
import type { Hearer } from './json-listener.ts';
import { jsonWire } from './json-wire.ts';
import type { ParsedEvent } from './protocol.ts';
import { known, maxTokensOf } from './said-prompt.ts';

/** The wire has no default for it. */
const maxTokens = 1024;

/** Anthropic's messages. */
export const anthropic = jsonWire({
  name: 'anthropic',
  path: '/v1/messages',
  keyHeader: 'x-api-key',
  headers: [['anthropic-version', '2023-06-01']],
  stream: { cut: 'events', endsBy: 'finish' },
  body: (ask, target) => {
    const { prompt, generation } = ask;
    const system = prompt.messages.filter(({ role }) => role === 'system').map(contentText);
    return {
      model: target.model,
      max_tokens: maxTokensOf(ask) ?? maxTokens,
      messages: prompt.messages.filter(({ role }) => role !== 'system'),
      ...(system.length > 0 && { system: system.join('\n') }),
      ...known({ temperature: generation.temperature, stop_sequences: generation.stop }),
      ...(generation.stream && { stream: true }),
    };
  },
  hearer: () => messagesHearer(),
});

function messagesHearer(): Hearer {
  let input: Record<string, unknown> = {};
  const usage = (output: unknown): ParsedEvent =>
    usagePart({ input: totalInput(input), output, cached: input['cache_read_input_tokens'] });
  return (value) => {
    if (!isObject(value)) return notAnAnswer(value, 'object');
    const error = errorPart(value);
    if (error !== null) return error;
    switch (value['type']) {
      case 'message_start':
        input = within(within(value, 'message'), 'usage');
        return [];
      case 'content_block_start':
        return blockPart(within(value, 'content_block'));
      case 'content_block_delta':
        return blockPart(within(value, 'delta'));
      case 'message_delta': {
        const reason = within(value, 'delta')['stop_reason'];
        const told = within(value, 'usage');
        input = { ...input, ...told };
        return [
          usage(told['output_tokens']),
          ...(typeof reason === 'string' ? [{ kind: 'finish', reason } as const] : []),
        ];
      }
      case 'message': {
        const content = Array.isArray(value['content']) ? value['content'] : [];
        input = within(value, 'usage');
        const reason = value['stop_reason'];
        return [
          ...content.flatMap((block: unknown) => (isObject(block) ? blockPart(block) : [])),
          usage(input['output_tokens']),
          ...(typeof reason === 'string' ? [{ kind: 'finish', reason } as const] : []),
        ];
      }
      default:
        return typeof value['type'] === 'string' ? [] : notAnAnswer(value, '"type"');
    }
  };
}

function blockPart(block: Record<string, unknown>): ParsedEvent[] {
  const tool = block['partial_json'] ?? (block['type'] === 'tool_use' ? block['name'] : undefined);
  return [...textPart('reasoning', block['thinking']), ...textPart('answer', block['text']), ...textPart('tool', tool)];
}

/** Tokens read from or written to the cache are not among `input_tokens` on this wire. */
function totalInput(usage: Record<string, unknown>): number | null {
  const parts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map((name) => usage[name]);
  if (typeof parts[0] !== 'number') return null;
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : 0), 0);
}

function contentText({ content }: Message): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
