import { isObject } from '../../core/index.ts';
import { countIn, errorPart, notAnAnswer, textPart, usagePart, within } from './heard-parts.ts';
import { jsonWire } from './json-wire.ts';
import type { ParsedEvent } from './protocol.ts';
import { known, maxTokensOf, promptText } from './said-prompt.ts';

/** Ollama's own wire: a JSON object per line; `/api/chat`, or `/api/generate` where the address says so. */
export const ollama = jsonWire({
  name: 'ollama',
  path: '/api/chat',
  stream: { cut: 'objects', endsBy: 'finish' },
  body: (ask, target) => {
    const { generation } = ask;
    const options = known({
      num_predict: maxTokensOf(ask),
      temperature: generation.temperature,
      stop: generation.stop,
    });
    const prompt = new URL(target.url).pathname.endsWith('/api/generate')
      ? { prompt: promptText(ask) }
      : { messages: ask.prompt.messages };
    return { model: target.model, ...prompt, stream: generation.stream, options };
  },
  hearer: () => (value) => {
    if (!isObject(value)) return notAnAnswer(value, 'object');
    const error = errorPart(value);
    if (error !== null) return error;
    if (!('message' in value) && !('response' in value)) return notAnAnswer(value, '"message" and no "response"');
    const message = within(value, 'message');
    const heard: ParsedEvent[] = [
      ...textPart('reasoning', message['thinking'] ?? value['thinking']),
      ...textPart('answer', message['content'] ?? value['response']),
    ];
    const tools = message['tool_calls'];
    if (Array.isArray(tools) && tools.length > 0) heard.push(...textPart('tool', JSON.stringify(tools)));
    if (value['done'] !== true) return heard;
    const reason = value['done_reason'];
    heard.push({ kind: 'finish', reason: typeof reason === 'string' ? reason : 'stop' });
    const [input, output] = [countIn(value['prompt_eval_count']), countIn(value['eval_count'])];
    if (input !== null || output !== null) heard.push(usagePart({ input, output }));
    return heard;
  },
});
