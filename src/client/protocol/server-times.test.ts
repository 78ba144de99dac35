import { expect, test } from 'vitest';
import { hearObject } from './openai-answer.ts';
import { protocols } from './protocols.ts';
import { metricsTimes } from './server-times.ts';

/** As vLLM's docs/features/per_request_metrics.md prints it. */
const metrics = {
  time_to_first_token_ms: 85.2,
  generation_time_ms: 1240.5,
  queue_time_ms: 12.3,
  mean_itl_ms: 9.1,
  tokens_per_second: 103.2,
};
const times = { kind: 'times', times: { queueMs: 12.3, prefillMs: 85.2, decodeMs: 1240.5, totalMs: null } };

test('vLLM’s metrics stand beside the usage, of a chat and of a response', () => {
  const usage = { prompt_tokens: 42, completion_tokens: 128, total_tokens: 170 };
  expect(hearObject({ choices: [], usage, metrics })).toContainEqual(times);
  const listener = protocols.responses.listen({ stream: false, contentType: 'application/json' });
  const body = { object: 'response', status: 'completed', output: [], usage: { input_tokens: 1 }, metrics };
  const heard = [...listener.hear(new TextEncoder().encode(JSON.stringify(body))), ...listener.close()];
  expect(heard).toContainEqual(times);
});

test('what is no time is not told', () => {
  expect(metricsTimes(null)).toBeNull();
  expect(metricsTimes({ queue_time_ms: null, generation_time_ms: 'long', time_to_first_token_ms: -1 })).toBeNull();
  expect(metricsTimes({ queue_time_ms: 0 })).toEqual({
    kind: 'times',
    times: { queueMs: 0, prefillMs: null, decodeMs: null, totalMs: null },
  });
});
