import { hiddenValue } from './run-plan.ts';
import type { RunPlan } from './run-plan.ts';

/** Makes text of a stranger free of secrets that this side knows. */
export type Scrub = (text: string) => string;

/** Whether something of this name may hold a secret. */
export function isSecretName(name: string): boolean {
  return /auth|key|token|secret|cookie|passw|session|credential|signature|jwt/i.test(name);
}

/** Headers whose values say how to talk, never who talks. */
const plainHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'anthropic-beta',
  'anthropic-version',
  'cache-control',
  'content-type',
  'openai-beta',
  'user-agent',
  'x-dashscope-sse',
]);

/** Fields of a body whose values are settings of the engine, never a secret. */
const plainFields: ReadonlySet<string> = new Set(
  `add_special_tokens batch_size beam_width best_of diversity_penalty do_sample dynamic_temperature early_stopping
  echo encoding_format dimensions enable_thinking format frequency_penalty guidance_scale ignore_eos include_usage
  incremental_output length_penalty logprobs max_completion_tokens max_new_tokens max_output_tokens max_tokens
  min_new_tokens min_p min_tokens mirostat mirostat_eta mirostat_tau n no_repeat_ngram_size num_beams num_ctx num_gpu
  num_predict parallel_tool_calls presence_penalty priority prompt_logprobs reasoning_effort repeat_last_n
  repeat_penalty repetition_penalty response_format result_format return_full_text seed service_tier
  skip_special_tokens stop_token_ids stream temperature tfs_z thinking_budget timeout tool_choice top_a top_k
  top_logprobs top_n_tokens top_p truncate truncation type typical_p use_beam_search verbosity watermark`.split(/\s+/),
);

/** A plan as a file may hold it: values of headers, body fields and query words only where they cannot be a secret. */
export function keptPlan(plan: RunPlan): RunPlan {
  const { target, generation } = plan;
  const { wire, reach } = target;
  return {
    ...plan,
    target: {
      ...target,
      url: keptUrl(target.url),
      headers: keptHeaders(target.headers),
      ...(wire !== undefined && { wire: { ...wire, body: keptBody(wire.body) } }),
      ...(reach !== undefined && { reach: { ...reach, also: reach.also.map(keptUrl) } }),
    },
    generation: { ...generation, body: keptBody(generation.body) },
  };
}

function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, plainHeaders.has(name.toLowerCase()) ? value : hiddenValue]),
  );
}

function keptBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, keptField(name, value)]));
}

/** Objects and lists are kept by their names; what has no name of its own goes by that of the list it stands in. */
function keptField(name: string, value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((item) => keptField(name, item));
  if (typeof value === 'object') return keptBody(value as Record<string, unknown>);
  if (typeof value === 'string' && isTemplate(value)) return value;
  return plainFields.has(name) ? value : hiddenValue;
}

/** Places of a described wire, as `{prompt}`. */
function isTemplate(text: string): boolean {
  return /^(?:\{[a-z_]+\}\s*)+$/.test(text);
}

/** An address without user, password, and values of its query that may be secrets. */
export function keptUrl(address: string): string {
  try {
    const url = new URL(address);
    if (url.username === '' && url.password === '' && url.search === '') return address;
    url.username = '';
    url.password = '';
    for (const name of new Set(url.searchParams.keys()))
      if (isSecretName(name) || /^(?:sig|code)$/i.test(name)) url.searchParams.set(name, hiddenValue);
    return url.href;
  } catch {
    return address;
  }
}

/** Flags and variables that take a secret in any tool, with the value behind them. */
const shellFlag =
  /((?:^|\s)--?[\w-]*(?:api-?key|authorization|password|passwd|secret|token|credentials?)(?:\s+|=))("[^"]*"|'[^']*'|\S+)/gi;
const shellVariable = /(\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=)("[^"]*"|'[^']*'|\S+)/g;

/** A shell command as a file may hold it; a variable that is named (`$KEY`) is no secret. */
export function keptShell(text: string): string {
  const hide = (_: string, name: string, value: string): string => name + (/^"?\$/.test(value) ? value : hiddenValue);
  return text.replaceAll(shellFlag, hide).replaceAll(shellVariable, hide);
}

/** Shorter values are words that anybody says. */
const leastChars = 4;

/** Every form in which a server may give back a secret that it was sent. */
export function secretValues(
  headers: Readonly<Record<string, string>>,
  body: unknown = null,
  addresses: readonly string[] = [],
): string[] {
  const found = Object.entries(headers)
    .filter(([name, value]) => !plainHeaders.has(name.toLowerCase()) && value !== hiddenValue)
    .flatMap(([, value]) => [value, ...credentials(value)]);
  found.push(...fieldsOf(body), ...addresses.flatMap(inAddress));
  const forms = found.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);
  return [...new Set(forms)].filter((value) => value.trim().length >= leastChars);
}

/** What stands behind `Bearer`, and user and password behind `Basic`. */
function credentials(value: string): string[] {
  const [, scheme = '', rest] = /^([a-z-]+)\s+(\S.*)$/i.exec(value) ?? [];
  if (rest === undefined) return [];
  if (scheme.toLowerCase() !== 'basic') return [rest];
  try {
    const pair = atob(rest.trim());
    return [rest, pair, pair.slice(pair.indexOf(':') + 1)];
  } catch {
    return [rest];
  }
}

function fieldsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && !plainFields.has(name) && isSecretName(name) ? [value] : fieldsOf(value),
  );
}

function inAddress(address: string): string[] {
  try {
    const { username, password, searchParams } = new URL(address);
    const words = [...searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value);
    return [...words, decodeURIComponent(username), decodeURIComponent(password)];
  } catch {
    return [];
  }
}

/** A beginning of a secret at the end of a text counts as the secret from so many characters on: texts are cut. */
const leastBeginning = 6;

/** Puts `(hidden)` where a secret stands, and where a text that was cut ends within one. */
export function makeScrub(values: readonly string[]): Scrub {
  if (values.length === 0) return (text) => text;
  // A longer one may hold a shorter one.
  const longestFirst = [...values].toSorted((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of longestFirst) {
      if (clean.includes(value)) clean = clean.replaceAll(value, hiddenValue);
      const begun = beginningAtEnd(clean, value);
      if (begun > 0) clean = clean.slice(0, -begun) + hiddenValue;
    }
    return clean;
  };
}

/** How many of the first characters of a value the text ends with; 0 = too few to tell. */
function beginningAtEnd(text: string, value: string): number {
  for (let length = value.length - 1; length >= leastBeginning; length--)
    if (text.endsWith(value.slice(0, length))) return length;
  return 0;
}
