import { isObject } from '../../core/index.ts';
import { foreignCall } from './foreign-call.ts';
import type { ForeignKind } from './foreign-call.ts';
import { textOfContent } from '../sim/index.ts';
import { kindOf } from './routes.ts';
import type { Route } from './routes.ts';
import type { Refusal } from './refusal.ts';
import { badRequest } from './refusal.ts';

/** Which endpoint was called. */
export type CallKind = 'chat' | 'completions' | ForeignKind;

/** A request body that has been checked. */
export interface Call {
  kind: CallKind;
  model: string;
  /** All that the engine reads. */
  text: string;
  /** Where the prompt came as token numbers: how many. */
  promptTokens: number | null;
  /** The token numbers themselves. */
  promptIds?: readonly number[];
  stream: boolean;
  includeUsage: boolean;
  maxTokens: number | null;
  minTokens: number | null;
  ignoreEos: boolean;
  stop: readonly string[];
  /** Answers asked for at once. */
  choices: number;
  /** Documents to rank, or texts to embed. */
  items?: number;
  /** Asks for the time of every token (MindIE). */
  perfStat?: boolean;
  /** What the wire says again before its answer. */
  echo?: string;
}

/** As many as OpenAI gives. */
const maxChoices = 128;

export type Body = Readonly<Record<string, unknown>>;

/** Thrown while a body is read, and turned into an answer by readCall. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** Checks a body as a server would; an unknown model is 404, everything else 400. */
export function readCall(
  at: { route: Route; model: string | null },
  bytes: Buffer,
  models: readonly string[],
): Call | { refusal: Refusal } {
  try {
    const said = parseBody(bytes);
    const body = at.model === null ? said : { ...said, model: at.model };
    const kind = kindOf(at.route, body);
    return kind === 'chat' || kind === 'completions' ? callOf(kind, body, models) : foreignCall(kind, body, models);
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.refusal };
    throw error;
  }
}

function parseBody(bytes: Buffer): Body {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Refused(badRequest(`the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`));
  }
  if (isObject(value)) return value;
  throw new Refused(badRequest('the body must be a JSON object'));
}

function callOf(kind: 'chat' | 'completions', body: Body, models: readonly string[]): Call {
  const model = body['model'] ?? models[0]!;
  if (typeof model !== 'string') throw new Refused(badRequest('model must be a string', 'model'));
  if (!models.includes(model)) {
    const message = `The model \`${model.slice(0, 200)}\` does not exist.`;
    throw new Refused({ status: 404, type: 'NotFoundError', message, param: 'model' });
  }
  const choices = whole(body, 'n', 1) ?? 1;
  if (choices > maxChoices) throw new Refused(badRequest(`n must be at most ${maxChoices}`, 'n'));
  const stream = flag(body, 'stream');
  const maxKey =
    kind === 'chat' && (body['max_completion_tokens'] ?? null) !== null ? 'max_completion_tokens' : 'max_tokens';
  return {
    kind,
    model,
    ...(kind === 'chat' ? chatPrompt(body) : plainPrompt(body)),
    stream,
    includeUsage: stream && usageWanted(body),
    maxTokens: whole(body, maxKey, 1),
    minTokens: whole(body, 'min_tokens', 0),
    ignoreEos: flag(body, 'ignore_eos'),
    stop: stops(body),
    choices,
  };
}

export function chatPrompt(body: Body): Pick<Call, 'text' | 'promptTokens'> {
  const messages = body['messages'];
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new Refused(badRequest('messages must be a list of at least one message', 'messages'));
  }
  const texts = messages.map((message: unknown) => {
    if (typeof message !== 'object' || message === null || typeof (message as Body)['role'] !== 'string') {
      throw new Refused(badRequest('each message must be an object with a role', 'messages'));
    }
    return textOfContent((message as Body)['content']);
  });
  return { text: texts.join('\n'), promptTokens: null };
}

/** A prompt of token numbers; null = it is none. */
export function tokenPrompt(prompt: unknown): Pick<Call, 'text' | 'promptTokens' | 'promptIds'> | null {
  if (!Array.isArray(prompt) || prompt.length === 0 || !prompt.every((token) => Number.isInteger(token))) return null;
  return { text: prompt.slice(0, 64).join(' '), promptTokens: prompt.length, promptIds: prompt as number[] };
}

function plainPrompt(body: Body): Pick<Call, 'text' | 'promptTokens' | 'promptIds'> {
  const given = body['prompt'];
  const prompt: unknown = Array.isArray(given) && given.length === 1 && typeof given[0] !== 'number' ? given[0] : given;
  if (typeof prompt === 'string') return { text: prompt, promptTokens: null };
  const numbers = tokenPrompt(prompt);
  if (numbers !== null) return numbers;
  throw new Refused(badRequest('prompt must be one text or one list of token numbers', 'prompt'));
}

function usageWanted(body: Body): boolean {
  const options = body['stream_options'] ?? {};
  if (typeof options !== 'object' || Array.isArray(options)) {
    throw new Refused(badRequest('stream_options must be an object', 'stream_options'));
  }
  return flag(options as Body, 'include_usage');
}

export function flag(body: Body, key: string): boolean {
  const value = body[key] ?? false;
  if (typeof value === 'boolean') return value;
  throw new Refused(badRequest(`${key} must be true or false`, key));
}

export function whole(body: Body, key: string, least: number): number | null {
  const value = body[key] ?? null;
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new Refused(badRequest(`${key} must be a whole number of at least ${least}`, key));
}

export function stops(body: Body, key = 'stop'): string[] {
  const value = body[key] ?? [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.every((item) => typeof item === 'string' && item !== '') && list.length <= 16) return list as string[];
  throw new Refused(badRequest('stop must be a text or a list of at most 16 texts', 'stop'));
}
