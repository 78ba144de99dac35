import type { Call } from './read-call.ts';
import type { Usage, Wire } from './wire.ts';

const failure = 'simulated failure inside the answer';
const named = (value: Readonly<Record<string, unknown>> & { type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

/** Ollama: a JSON object per line, the last one with counts and durations in ns. */
export function ollamaWire(call: Call, createdSec: number): Wire {
  const chat = call.kind === 'ollama-chat';
  const facts = { model: call.model, created_at: new Date(createdSec * 1000).toISOString() };
  const said = (text: string): Record<string, unknown> =>
    chat ? { message: { role: 'assistant', content: text } } : { response: text };
  const ended = (finish: string, usage: Usage): Record<string, unknown> => ({
    done: true,
    done_reason: finish,
    total_duration: 1_000_000,
    load_duration: 1000,
    prompt_eval_count: usage.inputTokens,
    prompt_eval_duration: 1000,
    eval_count: usage.outputTokens,
    eval_duration: 1000,
  });
  const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
  return {
    role: () => '',
    token: (piece) => line({ ...facts, ...said(piece), done: false }),
    finish: () => '',
    usage: () => '',
    lastToken: (piece, _isReasoning, finish, usage) =>
      (piece === '' ? '' : line({ ...facts, ...said(piece), done: false })) +
      line({ ...facts, ...said(''), ...ended(finish, usage) }),
    whole: ({ text, finish, usage }) => JSON.stringify({ ...facts, ...said(text), ...ended(finish, usage) }),
    done: '',
    error: line({ error: failure }),
    streamType: 'application/x-ndjson',
  };
}

/** Anthropic's messages. */
export function anthropicWire(call: Call, id: string): Wire {
  const message = { id, type: 'message', role: 'assistant', model: call.model, stop_sequence: null };
  const reasonOf = (finish: string): string => (finish === 'length' ? 'max_tokens' : 'end_turn');
  // Anthropic counts what came from the cache apart.
  const usageOf = ({ inputTokens, outputTokens, cachedTokens }: Usage): Record<string, number> => ({
    input_tokens: inputTokens - (cachedTokens ?? 0),
    ...(cachedTokens !== null && { cache_read_input_tokens: cachedTokens }),
    output_tokens: outputTokens,
  });
  let begun = false;
  const begin = (): string => {
    if (begun) return '';
    begun = true;
    const usage = { input_tokens: 0, output_tokens: 1 };
    return (
      named({ type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } }) +
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
      named({ type: 'ping' })
    );
  };
  const delta = (text: string): string =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  return {
    role: begin,
    token: (piece) => delta(piece),
    finish: () => '',
    usage: () => '',
    lastToken: (piece, _isReasoning, finish, usage) =>
      (piece === '' ? '' : delta(piece)) +
      named({ type: 'content_block_stop', index: 0 }) +
      named({
        type: 'message_delta',
        delta: { stop_reason: reasonOf(finish), stop_sequence: null },
        usage: usageOf(usage),
      }),
    whole: ({ text, finish, usage }) =>
      JSON.stringify({
        ...message,
        content: [{ type: 'text', text }],
        stop_reason: reasonOf(finish),
        usage: usageOf(usage),
      }),
    done: named({ type: 'message_stop' }),
    error: named({ type: 'error', error: { type: 'overloaded_error', message: failure } }),
  };
}

/** OpenAI's responses. */
export function responsesWire(call: Call, id: string, createdSec: number): Wire {
  const facts = { id, object: 'response', created_at: createdSec, model: call.model };
  const usageOf = (usage: Usage): Record<string, unknown> => ({
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  });
  const outcome = (finish: string): Record<string, unknown> =>
    finish === 'length'
      ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
      : { status: 'completed', incomplete_details: null };
  const item = (text: string): unknown => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  });
  let all = '';
  const delta = (piece: string): string => {
    all += piece;
    const place = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
    return named({ type: 'response.output_text.delta', ...place, delta: piece });
  };
  return {
    role: () => named({ type: 'response.created', response: { ...facts, status: 'in_progress', output: [] } }),
    token: (piece) => delta(piece),
    finish: () => '',
    usage: () => '',
    lastToken: (piece, _isReasoning, finish, usage) => {
      const last = piece === '' ? '' : delta(piece);
      const type = finish === 'length' ? 'response.incomplete' : 'response.completed';
      const response = { ...facts, ...outcome(finish), output: [item(all)], usage: usageOf(usage) };
      return last + named({ type, response });
    },
    whole: ({ text, finish, usage }) =>
      JSON.stringify({ ...facts, ...outcome(finish), output: [item(text)], usage: usageOf(usage) }),
    done: '',
    error: named({
      type: 'response.failed',
      response: { ...facts, status: 'failed', error: { code: 'server_error', message: failure } },
    }),
  };
}

/** DashScope: numbered events, usage in each of them. */
export function dashscopeWire(id: string): Wire {
  let number = 0;
  const value = (text: string, finish: string, usage: Partial<Usage>): unknown => ({
    output: { choices: [{ message: { role: 'assistant', content: text }, finish_reason: finish }] },
    usage: {
      input_tokens: usage.inputTokens ?? 0,
      output_tokens: usage.outputTokens ?? 0,
      total_tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
    },
    request_id: id,
  });
  const event = (data: unknown): string =>
    `id:${++number}\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(data)}\n\n`;
  return {
    role: () => '',
    token: (piece, _isReasoning, _stamp, step) => event(value(piece, 'null', { outputTokens: step.tokens })),
    finish: () => '',
    usage: () => '',
    lastToken: (piece, _isReasoning, finish, usage) => event(value(piece, finish, usage)),
    whole: ({ text, finish, usage }) => JSON.stringify(value(text, finish, usage)),
    done: '',
    error: `id:1\nevent:error\n:HTTP_STATUS/500\ndata:${JSON.stringify({ code: 'InternalError', message: failure, request_id: id })}\n\n`,
  };
}
