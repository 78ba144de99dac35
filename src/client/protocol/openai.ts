import type { ApiName, Ask, Generation, Target, Message } from '../../core/index.ts';
import { JsonWholeListener } from './json-listener.ts';
import { hearObject } from './openai-answer.ts';
import { OpenaiStreamListener } from './openai-listener.ts';
import { promptText } from './said-prompt.ts';
import type { AnswerShape, HttpCall, Protocol } from './protocol.ts';

/** What stands in the field of the prompt. */
type Said = string | Ask['prompt']['messages'];

/** A wire of the OpenAI family: they differ in the field that the prompt stands in and in their path. */
function openaiWire(name: ApiName, path: string, field: string, promptOf: (ask: Ask) => Said): Protocol {
  const streams = (shape: AnswerShape): boolean => shape.stream && !/^application\/json\b/i.test(shape.contentType);
  return {
    name,
    path,
    listsModels: true,
    encode: (ask, target) => encode(ask, target, field, promptOf(ask)),
    streams,
    listen: (shape) =>
      streams(shape)
        ? new OpenaiStreamListener(shape.stamp, shape.choices)
        : new JsonWholeListener((value) => hearObject(value)),
  };
}

/** The part of a body that is the same for every ask of a run, written once. */
interface SharedPart {
  model: string;
  fields: Record<string, unknown>;
  text: string;
  headers: HttpCall['headers'];
}

const sharedParts = new WeakMap<Generation, SharedPart>();

function sharedPart(generation: Generation, target: Target): SharedPart {
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
    fields,
    text: JSON.stringify(fields).slice(1),
    headers: [
      ['content-type', 'application/json'],
      ['accept', accept],
    ] as const,
  };
  sharedParts.set(generation, part);
  return part;
}

function encode({ prompt, generation }: Ask, target: Target, field: string, said: Said): HttpCall {
  const { fields, text, headers } = sharedPart(generation, target);
  // A field of the prompt's own that the run sets too would stand twice: then the two are merged, the prompt's winning.
  const clashes = prompt.maxTokens !== null || prompt.body !== undefined || field in fields;
  if (!clashes) return { method: 'POST', headers, body: `{"${field}":${promptJson(said)},${text}` };
  const own = { [field]: said, ...(prompt.maxTokens !== null && { max_tokens: prompt.maxTokens }), ...prompt.body };
  return { method: 'POST', headers, body: JSON.stringify({ ...fields, ...own }) };
}

export const openaiChat = openaiWire('openai-chat', '/v1/chat/completions', 'messages', (ask) => ask.prompt.messages);

export const openaiCompletions = openaiWire('openai-completions', '/v1/completions', 'prompt', promptText);

/** What a string of JSON cannot hold as it stands: quotes, backslashes, control characters, and halves of characters, which may lack the other one. */
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A prompt as JSON. Nearly always it is one plain text, and looking at that is a fifth of what JSON.stringify takes for a short one. */
export function promptJson(prompt: string | readonly Message[]): string {
  if (typeof prompt === 'string') return stringJson(prompt);
  const only = prompt[0];
  if (prompt.length !== 1 || only === undefined || !isPlain(only)) return JSON.stringify(prompt);
  return `[{"role":${stringJson(only.role)},"content":${stringJson(only.content)}}]`;
}

function stringJson(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** A message that a dataset brought may hold more than we know of (a name, calls of tools), or less. */
function isPlain(message: Message): message is Message & { content: string } {
  for (const name in message) if (name !== 'role' && name !== 'content') return false;
  return typeof message.role === 'string' && typeof message.content === 'string';
}
