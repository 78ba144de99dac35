import type { Usage, Wire } from './wire.ts';

/** SGLang's own wire: all text and token numbers so far in every event, the counts so far in `meta_info`. */
export function sglangWire(id: string, promptTokens: number): Wire {
  let said = '';
  let cachedTokens = 0;
  const ids: number[] = [];
  const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  const numberOf = (token: number): number => (token * 7919) % 32_000;
  const told = (outputTokens: number): Record<string, unknown> => ({
    prompt_tokens: promptTokens,
    weight_version: 'default',
    num_retractions: 0,
    completion_tokens: outputTokens,
    cached_tokens: cachedTokens,
    dp_rank: null,
  });
  const ending = (finish: string, usage: Usage): Record<string, unknown> => ({
    id,
    finish_reason: finish === 'length' ? { type: 'length', length: usage.outputTokens } : { type: finish, matched: 2 },
    queue_time: usage.times.queueMs / 1000,
    ...told(usage.outputTokens),
    cached_tokens: usage.cachedTokens ?? 0,
    e2e_latency: usage.times.totalMs / 1000,
  });
  const say = (piece: string, tokens: number): { text: string; output_ids: readonly number[] } => {
    said += piece;
    while (ids.length < tokens) ids.push(numberOf(ids.length + 1));
    return { text: said, output_ids: ids };
  };
  return {
    role: () => '',
    finish: () => '',
    usage: () => '',
    token: (piece, _isReasoning, _stamp, step) => {
      cachedTokens = step.cachedTokens ?? cachedTokens;
      return event({ ...say(piece, step.tokens), meta_info: { id, finish_reason: null, ...told(step.tokens) } });
    },
    lastToken: (piece, _isReasoning, finish, usage) =>
      event({ ...say(piece, usage.outputTokens), meta_info: ending(finish, usage) }),
    whole: ({ text, finish, usage }) =>
      JSON.stringify({ ...say(text, usage.outputTokens), meta_info: ending(finish, usage) }),
    error: event({ error: { message: 'simulated failure inside the answer' } }),
  };
}
