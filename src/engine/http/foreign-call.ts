import { textOfContent } from '../sim/index.ts';
import { badRequest } from './refusal.ts';
import { chatPrompt, flag, Refused, stops, tokenPrompt, whole } from './read-call.ts';
import type { Body, Call } from './read-call.ts';

/** Endpoints of other servers than OpenAI's. */
export type ForeignKind =
  | 'responses'
  | 'embeddings'
  | 'rerank'
  | 'tgi'
  | 'tgi-stream'
  | 'triton'
  | 'triton-stream'
  | 'infer'
  | 'vllm-generate'
  | 'sglang'
  | 'ollama-chat'
  | 'ollama-generate'
  | 'anthropic'
  | 'dashscope';

const quiet = {
  includeUsage: true,
  minTokens: null,
  ignoreEos: false,
  promptTokens: null,
  stop: [],
  choices: 1,
} as const;

/** Checks a body as the server of that endpoint would. */
export function foreignCall(kind: ForeignKind, body: Body, models: readonly string[]): Call {
  const model = modelOf(body, models);
  const common = { ...quiet, kind, model };
  switch (kind) {
    case 'responses': {
      const { input } = body;
      const prompt = Array.isArray(input) ? chatPrompt({ messages: input }).text : text(body, 'input');
      return { ...common, text: prompt, stream: flag(body, 'stream'), maxTokens: whole(body, 'max_output_tokens', 1) };
    }
    case 'embeddings': {
      const inputs = Array.isArray(body['input']) ? body['input'] : [text(body, 'input')];
      return {
        ...common,
        text: inputs.map(textOfContent).join('\n'),
        stream: false,
        maxTokens: 1,
        items: inputs.length,
      };
    }
    case 'rerank': {
      const { documents } = body;
      if (!Array.isArray(documents) || documents.length === 0)
        throw new Refused(badRequest('documents must be a list', 'documents'));
      const all = [text(body, 'query'), ...documents.map(textOfContent)].join('\n');
      return { ...common, text: all, stream: false, maxTokens: 1, items: documents.length };
    }
    case 'tgi':
    case 'tgi-stream':
    case 'infer':
      return {
        ...common,
        ...generationOf(inner(body, 'parameters')),
        text: text(body, 'inputs'),
        stream: kind === 'tgi-stream' || flag(body, 'stream'),
      };
    case 'triton':
    case 'triton-stream':
      return {
        ...common,
        ...generationOf(inner(body, 'parameters')),
        text: text(body, 'text_input'),
        stream: kind === 'triton-stream',
        perfStat: flag(inner(body, 'parameters'), 'perf_stat'),
      };
    case 'vllm-generate': {
      const prompt = text(body, 'prompt');
      return { ...common, ...generationOf(body), text: prompt, echo: prompt, stream: flag(body, 'stream') };
    }
    case 'sglang':
      return { ...common, ...sglangPrompt(body), ...samplingOf(body), stream: flag(body, 'stream') };
    case 'ollama-chat':
    case 'ollama-generate': {
      const options = inner(body, 'options');
      const prompt = kind === 'ollama-chat' ? chatPrompt(body).text : text(body, 'prompt');
      // This server streams unless told otherwise.
      const stream = body['stream'] === undefined ? true : flag(body, 'stream');
      return { ...common, text: prompt, stream, maxTokens: whole(options, 'num_predict', 1), stop: stops(options) };
    }
    case 'anthropic': {
      const maxTokens = whole(body, 'max_tokens', 1);
      if (maxTokens === null) throw new Refused(badRequest('max_tokens: Field required', 'max_tokens'));
      return {
        ...common,
        text: chatPrompt(body).text,
        stream: flag(body, 'stream'),
        maxTokens,
        stop: stops(body, 'stop_sequences'),
      };
    }
    case 'dashscope': {
      const parameters = inner(body, 'parameters');
      const stream = flag(parameters, 'incremental_output');
      return { ...common, ...generationOf(parameters), text: chatPrompt(inner(body, 'input')).text, stream };
    }
  }
}

function generationOf(from: Body): Pick<Call, 'maxTokens' | 'minTokens' | 'ignoreEos' | 'stop'> {
  return {
    maxTokens: whole(from, 'max_new_tokens', 1) ?? whole(from, 'max_tokens', 1),
    minTokens: whole(from, 'min_tokens', 0),
    ignoreEos: flag(from, 'ignore_eos'),
    stop: stops(from),
  };
}

/** SGLang makes so many tokens where nobody says how many. */
const sglangTokens = 128;

function samplingOf(body: Body): Pick<Call, 'maxTokens' | 'minTokens' | 'ignoreEos' | 'stop'> {
  const params = inner(body, 'sampling_params');
  if ((whole(params, 'n', 1) ?? 1) > 1) throw new Refused(badRequest('n must be 1 here', 'n'));
  return {
    maxTokens: whole(params, 'max_new_tokens', 1) ?? sglangTokens,
    minTokens: whole(params, 'min_new_tokens', 0),
    ignoreEos: flag(params, 'ignore_eos'),
    stop: stops(params),
  };
}

function sglangPrompt(body: Body): Pick<Call, 'text' | 'promptTokens'> {
  const given = ['text', 'input_ids'].filter((key) => (body[key] ?? null) !== null);
  if (given.length !== 1) throw new Refused(badRequest('either text or input_ids must be given', 'text'));
  if (given[0] === 'text') return { text: text(body, 'text'), promptTokens: null };
  const numbers = tokenPrompt(body['input_ids']);
  if (numbers === null) throw new Refused(badRequest('input_ids must be one list of token numbers', 'input_ids'));
  return numbers;
}

function modelOf(body: Body, models: readonly string[]): string {
  const model = body['model'] ?? models[0]!;
  if (typeof model === 'string' && models.includes(model)) return model;
  const message = `The model \`${String(model).slice(0, 200)}\` does not exist.`;
  throw new Refused({ status: 404, type: 'NotFoundError', message, param: 'model' });
}

function text(body: Body, key: string): string {
  const value = body[key];
  if (typeof value === 'string') return value;
  throw new Refused(badRequest(`${key} must be a text`, key));
}

function inner(body: Body, key: string): Body {
  const value = body[key] ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Body;
  throw new Refused(badRequest(`${key} must be an object`, key));
}
