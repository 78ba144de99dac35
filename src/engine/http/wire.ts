import type { Call } from './read-call.ts';

/** What a request used, for its usage object. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Prompt tokens from the prefix cache; null = the engine has none. */
  cachedTokens: number | null;
  /** What each token's step was like, in order. */
  steps?: readonly StepFacts[];
  /** What the request took by this server's clock. */
  times: RequestTimes;
}

/** How long a request was where, on the wall clock. */
export interface RequestTimes {
  queueMs: number;
  /** From the beginning of its first step to its first token. */
  prefillMs: number;
  decodeMs: number;
  totalMs: number;
}

/** What one choice says. */
export interface WholeChoice {
  text: string;
  /** null = the answer did not reason. */
  reasoning: string | null;
  finish: string;
}

/** A finished answer as text: that of its first choice, and of all; only OpenAI's endpoints have several. */
export interface WholeAnswer extends WholeChoice {
  choices: readonly WholeChoice[];
  usage: Usage;
}

/** Everything that one request's answer is made of, on one endpoint. `stamp` goes before an event's last brace. */
export interface Wire {
  /** The event that only says who speaks; empty where the endpoint has none. */
  role(stamp: string): string;
  token(piece: string, isReasoning: boolean, stamp: string, step: StepFacts): string;
  finish(reason: string, stamp: string): string;
  usage(usage: Usage, stamp: string): string;
  /** The body of an answer that is not streamed. */
  whole(answer: WholeAnswer): string;
  /** Ends a stream; left out = doneEvent. */
  done?: string;
  /** An error in mid-stream, and as a whole body; left out = errorEvent. */
  error?: string;
  /** Content type of a stream; left out = server-sent events. */
  streamType?: string;
  /** The usage is told with every step. */
  wantsSteps?: true;
  /** The finishing words need the last token's: it is not sent apart. */
  lastToken?(piece: string, isReasoning: boolean, finish: string, usage: Usage, step: StepFacts): string;
}

/** What a token's step was like. */
export interface StepFacts {
  batchSize: number;
  /** From arrival, or from the step before, to the beginning of this one; simulated time. */
  queueWaitMs: number;
  /** From arrival, or from the step before, to the end of this one; simulated time in whole ms, as MindIE tells it. */
  stepMs: number;
  /** Tokens of this answer that are out, this one included. */
  tokens: number;
  /** With the first token: prompt tokens from the prefix cache; absent = the engine has none. */
  cachedTokens?: number;
}

/** Ends every stream. */
export const doneEvent = 'data: [DONE]\n\n';

/** An event that reports an error in mid-stream, as vLLM words it. */
export const errorEvent = `data: ${JSON.stringify({
  error: { message: 'simulated failure inside the answer', type: 'InternalServerError', param: null, code: 500 },
})}\n\n`;

/** The wire of one request to OpenAI's two endpoints. The parts that never change are serialised here, once, and not for each token. */
export function openaiWireOf(
  call: Call,
  id: string,
  createdSec: number,
  tells: { stepFacts: boolean; requestMetrics: boolean },
  choice: number,
): Wire {
  const facts: Facts = { id, model: call.model, created: createdSec, choice };
  const plain = call.kind === 'chat' ? chatWire(facts) : completionsWire(facts);
  const wire = tells.stepFacts ? withStepFacts(plain) : plain;
  return tells.requestMetrics && call.choices === 1 ? withRequestMetrics(wire) : wire;
}

/** What stands in every event of a choice. */
interface Facts {
  id: string;
  model: string;
  created: number;
  choice: number;
}

/** vLLM under --enable-per-request-metrics: times of the one stream beside its usage. */
function withRequestMetrics(wire: Wire): Wire {
  const beside = (text: string, { times, outputTokens }: Usage): string => {
    const busyMs = times.prefillMs + times.decodeMs;
    const metrics = JSON.stringify({
      time_to_first_token_ms: times.prefillMs,
      generation_time_ms: times.decodeMs,
      queue_time_ms: times.queueMs,
      mean_itl_ms: outputTokens > 1 ? times.decodeMs / (outputTokens - 1) : null,
      tokens_per_second: busyMs > 0 ? (outputTokens * 1000) / busyMs : null,
    });
    return text.replace('"usage":{', () => `"metrics":${metrics},"usage":{`);
  };
  return {
    ...wire,
    usage: (usage, stamp) => beside(wire.usage(usage, stamp), usage),
    whole: (answer) => beside(wire.whole(answer), answer.usage),
  };
}

/** MindIE under its benchmark switch: lists of steps in the usage, and their times beside it where nothing is streamed. */
function withStepFacts(wire: Wire): Wire {
  const told = (usage: Usage): string => {
    const steps = usage.steps ?? [];
    return JSON.stringify({
      batch_size: steps.map(({ batchSize }) => batchSize),
      queue_wait_time: steps.map(({ queueWaitMs }) => Math.round(queueWaitMs * 1000)),
    }).slice(1);
  };
  const into = (text: string, usage: Usage): string =>
    text.replace('"usage":{', `"usage":{${told(usage).slice(0, -1)},`);
  return {
    ...wire,
    wantsSteps: true,
    usage: (usage, stamp) => into(wire.usage(usage, stamp), usage),
    whole: (answer) => {
      const [first, ...rest] = (answer.usage.steps ?? []).map(({ stepMs }) => stepMs);
      const times = JSON.stringify({ prefill_time: first ?? null, decode_time_arr: rest }).slice(1);
      return `${into(wire.whole(answer), answer.usage).slice(0, -1)},${times}`;
    },
  };
}

function chatWire({ id, model, created, choice }: Facts): Wire {
  const facts = (object: string): string => JSON.stringify({ id, object, created, model }).slice(0, -1);
  const open = `data: ${facts('chat.completion.chunk')},"choices":[{"index":${choice},"delta":{`;
  const shut = '},"logprobs":null,"finish_reason":null}]';
  const answer = `${open}"content":`;
  const reasoning = `${open}"reasoning_content":`;
  return {
    role: (stamp) => `${open}"role":"assistant","content":""${shut}${stamp}}\n\n`,
    token: (piece, isReasoning, stamp) =>
      `${isReasoning ? reasoning : answer}${JSON.stringify(piece)}${shut}${stamp}}\n\n`,
    finish: (reason, stamp) => `${open}},"logprobs":null,"finish_reason":"${reason}"}]${stamp}}\n\n`,
    usage: (usage, stamp) =>
      `data: ${facts('chat.completion.chunk')},"choices":[],"usage":${usageJson(usage)}${stamp}}\n\n`,
    whole: ({ choices, usage }) => {
      const said = choices.map(({ text, reasoning: thought, finish }, index) => {
        const thoughts = thought === null ? {} : { reasoning_content: thought };
        const message = { role: 'assistant', content: text, ...thoughts };
        return { index, message, logprobs: null, finish_reason: finish };
      });
      return `${facts('chat.completion')},"choices":${JSON.stringify(said)},"usage":${usageJson(usage)}}`;
    },
  };
}

function completionsWire({ id, model, created, choice }: Facts): Wire {
  const facts = JSON.stringify({ id, object: 'text_completion', created, model }).slice(0, -1);
  const open = `data: ${facts},"choices":[{"index":${choice},"text":`;
  return {
    role: () => '',
    token: (piece, _isReasoning, stamp) =>
      `${open}${JSON.stringify(piece)},"logprobs":null,"finish_reason":null}]${stamp}}\n\n`,
    finish: (reason, stamp) => `${open}"","logprobs":null,"finish_reason":"${reason}"}]${stamp}}\n\n`,
    usage: (usage, stamp) => `data: ${facts},"choices":[],"usage":${usageJson(usage)}${stamp}}\n\n`,
    whole: ({ choices, usage }) => {
      const said = choices.map(({ text, finish }, index) => ({ index, text, logprobs: null, finish_reason: finish }));
      return `${facts},"choices":${JSON.stringify(said)},"usage":${usageJson(usage)}}`;
    },
  };
}

function usageJson({ inputTokens, outputTokens, reasoningTokens, cachedTokens }: Usage): string {
  return JSON.stringify({
    prompt_tokens: inputTokens,
    total_tokens: inputTokens + outputTokens,
    completion_tokens: outputTokens,
    ...(cachedTokens === null ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens > 0 ? { completion_tokens_details: { reasoning_tokens: reasoningTokens } } : {}),
  });
}
