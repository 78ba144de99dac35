import type { ApiName, Ask, Generation, Target } from '../core/index.ts';
import { JsonWholeListener } from './json-listener.ts';
import { hearObject } from './openai-answer.ts';
import { OpenaiStreamListener } from './openai-listener.ts';
import { promptText } from './said-prompt.ts';
import type { AnswerShape, HttpCall, Protocol } from './protocol.ts';

/** A wire of the OpenAI family: they differ in where the prompt stands and under which path. */
function openaiWire(name: ApiName, path: string, promptFields: (ask: Ask) => Record<string, unknown>): Protocol {
  const streams = (shape: AnswerShape): boolean => shape.stream && !/^application\/json\b/i.test(shape.contentType);
  return {
    name,
    path,
    listsModels: true,
    encode: (ask, target) => encode(ask, target, promptFields(ask)),
    streams,
    listen: (shape) =>
      streams(shape) ? new OpenaiStreamListener(shape.stamp) : new JsonWholeListener((value) => hearObject(value)),
  };
}

/** The part of a body that is the same for every ask of a run, written once. */
const sharedParts = new WeakMap<Generation, { model: string; text: string; headers: HttpCall['headers'] }>();

function sharedPart(generation: Generation, target: Target): { text: string; headers: HttpCall['headers'] } {
  const known = sharedParts.get(generation);
  if (known !== undefined && known.model === target.model) return known;
  const fields = {
    model: target.model,
    ...(generation.stream && { stream: true, stream_options: { include_usage: true } }),
    ...(generation.maxTokens !== null && { max_tokens: generation.maxTokens }),
    ...(generation.minTokens !== null && { min_tokens: generation.minTokens }),
    ...(generation.temperature !== null && { temperature: generation.temperature }),
    ...(generation.ignoreEos && { ignore_eos: true }),
    ...(generation.stop.length > 0 && { stop: generation.stop }),
    ...generation.body,
  };
  const accept = generation.stream ? 'text/event-stream' : 'application/json';
  const part = {
    model: target.model,
    text: JSON.stringify(fields),
    headers: [
      ['content-type', 'application/json'],
      ['accept', accept],
    ] as const,
  };
  sharedParts.set(generation, part);
  return part;
}

function encode(ask: Ask, target: Target, promptFields: Record<string, unknown>): HttpCall {
  const { prompt, generation } = ask;
  const { text, headers } = sharedPart(generation, target);
  const own = { ...promptFields, ...(prompt.maxTokens !== null && { max_tokens: prompt.maxTokens }), ...prompt.body };
  // A field of the prompt's own that the run sets too would stand twice: then the two are merged, the prompt's winning.
  const clash = prompt.maxTokens !== null || prompt.body !== undefined || Object.keys(generation.body).length > 0;
  const body = clash
    ? JSON.stringify({ ...(JSON.parse(text) as object), ...own })
    : `${JSON.stringify(own).slice(0, -1)},${text.slice(1)}`;
  return { method: 'POST', headers, body };
}

export const openaiChat = openaiWire('openai-chat', '/v1/chat/completions', (ask) => ({
  messages: ask.prompt.messages,
}));

export const openaiCompletions = openaiWire('openai-completions', '/v1/completions', (ask) => ({
  prompt: promptText(ask),
}));
