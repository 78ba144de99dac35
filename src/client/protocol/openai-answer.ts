import { isObject, jsonIn } from '../../core/index.ts';
import type { ParsedEvent } from './protocol.ts';
import { stepsOf } from './server-steps.ts';
import { plainStamp, stampNs, writtenStamp } from './server-stamp.ts';
import type { ServerStamp } from './server-stamp.ts';
import { metricsTimes } from './server-times.ts';

/**
 * What one JSON object of an OpenAI-like server says, streamed chunk or whole answer alike; text stands in a chat's
 * delta or message, or in a completion's text.
 */
export function hearObject(value: unknown, stamp: ServerStamp = plainStamp): ParsedEvent[] {
  if (!isObject(value)) return [{ kind: 'problem', code: 'malformed-stream', words: JSON.stringify(value) ?? '' }];
  const error = value['error'];
  if (error !== undefined && error !== null)
    return [{ kind: 'problem', code: 'in-stream-error', words: errorWords(error) }];
  if (value['object'] === 'error') {
    return [{ kind: 'problem', code: 'in-stream-error', words: errorWords(value) }];
  }
  const heard: ParsedEvent[] = [];
  const written = writtenStamp(value, stamp);
  const emitNs = written === null ? null : stampNs(written, stamp.nsPerUnit);
  if (emitNs !== null) heard.push({ kind: 'stamp', emitNs });
  const choices = value['choices'];
  const usage = value['usage'];
  if (Array.isArray(choices)) for (const choice of choices) hearChoice(choice, heard);
  else if (!isObject(usage)) {
    return [{ kind: 'problem', code: 'malformed-stream', words: `no "choices" in ${JSON.stringify(value)}` }];
  }
  if (isObject(usage)) {
    heard.push(hearUsage(usage));
    const steps = stepsOf(usage['batch_size'], usage['queue_wait_time'], timesOf(value));
    if (steps !== null) heard.push(steps);
  }
  const times = metricsTimes(value['metrics']);
  if (times !== null) heard.push(times);
  return heard;
}

/** MindIE's times of a whole answer: the first token's, then one for each further token. */
function timesOf(value: Record<string, unknown>): unknown[] | null {
  const further = value['decode_time_arr'];
  return Array.isArray(further) ? [value['prefill_time'], ...(further as unknown[])] : null;
}

function hearChoice(choice: unknown, heard: ParsedEvent[]): void {
  if (!isObject(choice)) return;
  const part = isObject(choice['delta']) ? choice['delta'] : isObject(choice['message']) ? choice['message'] : choice;
  const reasoning = part['reasoning_content'] ?? part['reasoning'];
  if (typeof reasoning === 'string' && reasoning !== '') {
    heard.push({ kind: 'text', of: 'reasoning', text: reasoning, events: 1, tokens: null });
  }
  const before = heard.length;
  const text = part['content'] ?? part['text'];
  if (typeof text === 'string' && text !== '')
    heard.push({ kind: 'text', of: 'answer', text, events: 1, tokens: null });
  const tools = part['tool_calls'];
  if (Array.isArray(tools) && tools.length > 0) {
    heard.push({ kind: 'text', of: 'tool', text: tools.map(toolText).join(''), events: 1, tokens: null });
  }
  const finish = choice['finish_reason'];
  const nothing = heard.length === before && !(typeof reasoning === 'string' && reasoning !== '');
  if (text === '' && nothing && isToken(choice, part, finish))
    heard.push({ kind: 'text', of: 'answer', text: '', events: 1, tokens: null });
  if (typeof finish === 'string') heard.push({ kind: 'finish', reason: finish });
}

/**
 * Whether a choice of a stream that says nothing stands for a token without text of its own (a special one, half a
 * character). One that only opens the answer, with a role, does not; nor does one that only ends it, but vLLM, which tells
 * a `stop_reason`, ends an answer with its last token.
 */
function isToken(choice: Record<string, unknown>, part: Record<string, unknown>, finish: unknown): boolean {
  if (isObject(choice['message']) || typeof part['role'] === 'string') return false;
  return typeof finish !== 'string' || Object.hasOwn(choice, 'stop_reason');
}

function toolText(call: unknown): string {
  if (!isObject(call) || !isObject(call['function'])) return '';
  const { name, arguments: args } = call['function'];
  return `${typeof name === 'string' ? name : ''}${typeof args === 'string' ? args : ''}`;
}

function hearUsage(usage: Record<string, unknown>): ParsedEvent {
  return {
    kind: 'usage',
    input: count(usage['prompt_tokens']),
    output: count(usage['completion_tokens']),
    cached: isObject(usage['prompt_tokens_details']) ? count(usage['prompt_tokens_details']['cached_tokens']) : null,
    reasoning: isObject(usage['completion_tokens_details'])
      ? count(usage['completion_tokens_details']['reasoning_tokens'])
      : null,
  };
}

/** A whole number of tokens, or null for anything that is not one. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The server's own words about an error, from the shapes servers use. */
export function errorWords(error: unknown): string {
  if (typeof error === 'string') return error;
  if (isObject(error) && typeof error['message'] === 'string') return error['message'];
  return JSON.stringify(error) ?? '';
}

/** What a refused request was told, from the shapes servers use; the body itself where it is none of them. */
export function refusalWords(body: string): string {
  const value = jsonIn(body);
  if (!isObject(value)) return body;
  const said = value['error'] ?? value['message'] ?? value['detail'];
  const words = said === undefined || said === null ? '' : errorWords(said);
  return words === '' ? body : words;
}
