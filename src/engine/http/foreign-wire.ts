import { estimateTokens } from '../sim/index.ts';
import type { Call } from './read-call.ts';
import type { ForeignKind } from './foreign-call.ts';
import { sglangWire } from './sglang-wire.ts';
import { openaiWireOf } from './wire.ts';
import type { StepFacts, Usage, Wire } from './wire.ts';
import { anthropicWire, dashscopeWire, ollamaWire, responsesWire } from './chat-wires.ts';

/** Habits of servers that clients have to live with: MindIE's, and one of vLLM's. */
export interface Quirks {
  /** NUL bytes behind every chunk. */
  nulPadding: boolean;
  /** Objects one behind the other, without `data:` and blank lines. */
  bare: boolean;
  /** Each chunk holds all text so far (fullTextEnabled). */
  fullText: boolean;
  /** Batch sizes, queue waits and times of every token in the usage of OpenAI's wires (MINDIE_LLM_BENCHMARK_ENABLE). */
  stepFacts: boolean;
  /** Times of the request beside the usage of OpenAI's wires (vLLM's --enable-per-request-metrics). */
  requestMetrics: boolean;
}

/** The wire of one choice of a request, whatever the endpoint. */
export function wireOf(call: Call, id: string, createdSec: number, quirks: Quirks, choice: number): Wire {
  const wire =
    call.kind === 'chat' || call.kind === 'completions'
      ? openaiWireOf(call, id, createdSec, quirks, choice)
      : foreignWire(call as Call & { kind: ForeignKind }, id, createdSec, quirks);
  return withQuirks(wire, quirks);
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

function foreignWire(call: Call & { kind: ForeignKind }, id: string, createdSec: number, quirks: Quirks): Wire {
  switch (call.kind) {
    case 'tgi':
    case 'tgi-stream':
    case 'infer':
      return tgiWire(call.kind === 'infer', quirks);
    case 'triton':
    case 'triton-stream':
      return tritonWire(call, id, quirks);
    case 'vllm-generate':
      return vllmGenerateWire(call.echo ?? '');
    case 'sglang':
      return sglangWire(id, call.promptTokens ?? estimateTokens(call.text));
    case 'embeddings':
    case 'rerank':
      return vectorWire(call, id);
    case 'ollama-chat':
    case 'ollama-generate':
      return ollamaWire(call, createdSec);
    case 'anthropic':
      return anthropicWire(call, id);
    case 'responses':
      return responsesWire(call, id, createdSec);
    case 'dashscope':
      return dashscopeWire(id);
  }
}

/** MindIE tells the first token's time and each later one's under names of their own, in whole ms. */
function timesOf({ tokens, stepMs }: StepFacts): { prefill_time: number | null; decode_time: number | null } {
  return { prefill_time: tokens === 1 ? stepMs : null, decode_time: tokens === 1 ? null : stepMs };
}

/** TGI: `{index, token, generated_text, details}`; MindIE's /infer: the same with lists of ids and times of steps. */
function tgiWire(infer: boolean, quirks: Quirks): Wire {
  let said = '';
  const chunk = (piece: string, step: StepFacts, ending: Record<string, unknown>): string => {
    said += piece;
    const shown = quirks.fullText ? said : piece;
    const id = (step.tokens * 7919) % 32_000;
    const token = infer ? { id: [id], text: shown } : { id, text: shown, logprob: -0.5, special: false };
    return event({
      ...(infer ? timesOf(step) : { index: step.tokens }),
      token,
      generated_text: null,
      details: null,
      ...ending,
    });
  };
  const details = (finish: string, usage: Usage): Record<string, unknown> => ({
    finish_reason: finish === 'stop' ? 'eos_token' : finish,
    generated_tokens: usage.outputTokens,
    input_length: usage.inputTokens,
    seed: null,
  });
  return {
    ...nothingApart,
    token: (piece, _isReasoning, _stamp, step) => chunk(piece, step, {}),
    lastToken: (piece, _isReasoning, finish, usage, step) =>
      chunk(piece, step, { generated_text: said + piece, details: details(finish, usage) }),
    whole: ({ text, finish, usage }) => JSON.stringify({ generated_text: text, details: details(finish, usage) }),
    done: '',
    error: event({ error: 'simulated failure inside the answer', error_type: 'generation' }),
  };
}

/** MindIE's Triton wire: details of every step; `generated_tokens` counts on, waits are µs, times whole ms. */
function tritonWire(call: Call, id: string, quirks: Quirks): Wire {
  let said = '';
  const facts = { id, model_name: call.model, model_version: null };
  const chunk = (piece: string, step: StepFacts, more: Record<string, unknown>): string => {
    said += piece;
    const details = {
      generated_tokens: step.tokens,
      first_token_cost: null,
      decode_cost: null,
      batch_size: step.batchSize,
      queue_wait_time: Math.round(step.queueWaitMs * 1000),
      ...more,
    };
    return event({ ...facts, text_output: quirks.fullText ? said : piece, details, ...timesOf(step) });
  };
  return {
    ...nothingApart,
    ...(call.perfStat === true && { wantsSteps: true as const }),
    token: (piece, _isReasoning, _stamp, step) => chunk(piece, step, {}),
    lastToken: (piece, _isReasoning, finish, usage, step) =>
      chunk(piece, step, { finish_reason: finish === 'stop' ? 'eos_token' : finish, prompt_tokens: usage.inputTokens }),
    whole: ({ text, finish, usage }) =>
      JSON.stringify({
        ...facts,
        text_output: text,
        details: {
          finish_reason: finish === 'stop' ? 'eos_token' : finish,
          generated_tokens: usage.outputTokens,
          prompt_tokens: usage.inputTokens,
          first_token_cost: null,
          decode_cost: null,
          // Token number and whole ms of every token.
          ...(call.perfStat === true && {
            perf_stat: (usage.steps ?? []).map((step) => [(step.tokens * 7919) % 32_000, step.stepMs]),
          }),
        },
      }),
    done: '',
    error: event({ error: 'simulated failure inside the answer' }),
  };
}

/** vLLM's demonstration server: prompt and text so far, each object ended by a NUL byte. */
function vllmGenerateWire(echo: string): Wire {
  let said = echo;
  const chunk = (piece: string): string => {
    said += piece;
    return `${JSON.stringify({ text: [said] })}\0`;
  };
  return {
    ...nothingApart,
    token: (piece) => chunk(piece),
    lastToken: (piece) => chunk(piece),
    whole: ({ text }) => JSON.stringify({ text: [echo + text] }),
    done: '',
    error: `${JSON.stringify({ error: 'simulated failure inside the answer' })}\0`,
    streamType: 'application/octet-stream',
  };
}

function vectorWire(call: Call, id: string): Wire {
  const items = Array.from({ length: call.items ?? 1 }, (_, index) => index);
  const tokens = (usage: Usage): Record<string, number> => ({
    prompt_tokens: usage.inputTokens,
    total_tokens: usage.inputTokens,
  });
  const vector = (index: number): number[] =>
    Array.from({ length: 8 }, (_, i) => Number(Math.sin(index * 31 + i).toFixed(6)));
  return {
    ...nothingApart,
    token: () => '',
    whole: ({ usage }) =>
      call.kind === 'embeddings'
        ? JSON.stringify({
            object: 'list',
            data: items.map((index) => ({ object: 'embedding', index, embedding: vector(index) })),
            model: call.model,
            usage: tokens(usage),
          })
        : JSON.stringify({
            id,
            model: call.model,
            results: items.map((index) => ({ index, relevance_score: 1 / (index + 2) })),
            usage: tokens(usage),
          }),
    error: event({ error: { message: 'simulated failure inside the answer', type: 'InternalServerError' } }),
  };
}

/** A wire whose stream has no events beside the tokens. */
const nothingApart = { role: () => '', finish: () => '', usage: () => '' };

function withQuirks(wire: Wire, quirks: Quirks): Wire {
  if (!quirks.bare && !quirks.nulPadding) return wire;
  const changed = (text: string): string => {
    if (text === '') return text;
    const bare = quirks.bare ? text.replaceAll(/^data: ?(?!\[DONE\])/gm, '').replaceAll('\n\n', '') : text;
    return quirks.nulPadding ? `${bare}\0\0\0\0` : bare;
  };
  return {
    ...wire,
    role: (stamp) => changed(wire.role(stamp)),
    token: (...parts) => changed(wire.token(...parts)),
    finish: (...parts) => changed(wire.finish(...parts)),
    usage: (...parts) => changed(wire.usage(...parts)),
    ...(wire.lastToken !== undefined && { lastToken: (...parts) => changed(wire.lastToken!(...parts)) }),
    done: quirks.bare ? '' : (wire.done ?? 'data: [DONE]\n\n'),
  };
}
