import type { ApiName, Ask, Target } from '../core/index.ts';
import { OpenaiStreamListener, OpenaiWholeListener } from './openai-listener.ts';
import type { AnswerShape, HttpCall, Protocol } from './protocol.ts';

/** A wire of the OpenAI family: they differ in where the prompt stands and under which path. */
function openaiWire(name: ApiName, path: string, promptFields: (ask: Ask) => Record<string, unknown>): Protocol {
  const streams = (shape: AnswerShape): boolean => shape.stream && !/^application\/json\b/i.test(shape.contentType);
  return {
    name,
    path,
    encode: (ask, target) => encode(ask, target, promptFields(ask)),
    streams,
    listen: (shape) => (streams(shape) ? new OpenaiStreamListener() : new OpenaiWholeListener()),
  };
}

function encode(ask: Ask, target: Target, promptFields: Record<string, unknown>): HttpCall {
  const { generation, prompt } = ask;
  const maxTokens = prompt.maxTokens ?? generation.maxTokens;
  const body: Record<string, unknown> = {
    model: target.model,
    ...promptFields,
    ...(generation.stream && { stream: true, stream_options: { include_usage: true } }),
    ...(maxTokens !== null && { max_tokens: maxTokens }),
    ...(generation.minTokens !== null && { min_tokens: generation.minTokens }),
    ...(generation.temperature !== null && { temperature: generation.temperature }),
    ...(generation.ignoreEos && { ignore_eos: true }),
    ...(generation.stop.length > 0 && { stop: generation.stop }),
    ...generation.body,
    ...prompt.body,
  };
  return {
    method: 'POST',
    headers: [
      ['content-type', 'application/json'],
      ['accept', generation.stream ? 'text/event-stream' : 'application/json'],
    ],
    body: new TextEncoder().encode(JSON.stringify(body)),
  };
}

function promptText(ask: Ask): string {
  const { text, messages } = ask.prompt;
  if (text !== null) return text;
  const last = messages.at(-1)?.content ?? '';
  return typeof last === 'string' ? last : JSON.stringify(last);
}

export const openaiChat = openaiWire('openai-chat', '/v1/chat/completions', (ask) => ({
  messages: ask.prompt.messages,
}));

export const openaiCompletions = openaiWire('openai-completions', '/v1/completions', (ask) => ({
  prompt: promptText(ask),
}));
