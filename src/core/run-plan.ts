import type { Generation } from './ask.ts';
import type { PointAsked } from './dimensions.ts';
import type { Lengths } from './length-law.ts';

/** Wires that llmdyno speaks; the protocol room has one entry for each. */
export const apiNames = [
  'openai-chat',
  'openai-completions',
  'responses',
  'embeddings',
  'rerank',
  'tgi',
  'triton',
  'mindie',
  'vllm-generate',
  'sglang',
  'ollama',
  'anthropic',
  'dashscope',
  'custom',
] as const;
export type ApiName = (typeof apiNames)[number];

/** The server under test. Holds no secret: a key is named by its environment variable only. */
export interface Target {
  /** The full address requests go to, without user, password or query secrets. */
  url: string;
  api: ApiName;
  model: string;
  /** Extra headers; the value of one that may be a secret is hiddenValue. */
  headers: Readonly<Record<string, string>>;
  /** Environment variable that holds the API key; null = no key. */
  keyEnv: string | null;
  /** Accept any TLS certificate. */
  insecure: boolean;
  /** How connections are made beyond that; absent = plainly. */
  reach?: Reach;
  /** What the server calls itself: the Server header of its answer to the test request; absent = it did not say. */
  server?: string;
  /** The description of api custom. */
  wire?: CustomWire;
}

/** Begins the Server header of `dyno engine`, so that a result says when no real engine stood behind it. */
export const simulatedServer = 'llmdyno-engine';

/** Whether a server that calls itself so is a simulated engine. */
export function isSimulatedEngine(server: string): boolean {
  return server.startsWith(simulatedServer);
}

/** A wire that a user described; places in an answer are written `a.b[0].c`, null = it is not told. */
export interface CustomWire {
  /** Path put behind a bare host. */
  path: string | null;
  /** Template of the body: `{prompt}`, `{messages}`, `{model}`, `{max_tokens}`, `{temperature}`, `{stop}`, `{stream}`. */
  body: Readonly<Record<string, unknown>>;
  /** How a streamed answer is cut, and how one knows that it is whole; null = answers come in one piece. */
  stream: { cut: 'events' | 'objects'; endsBy: 'finish' | 'body' } | null;
  text: string;
  reasoning: string | null;
  inputTokens: string | null;
  outputTokens: string | null;
  finish: string | null;
  /** Where an error stands; null = under `error`. */
  error: string | null;
}

/** Files are named as they were typed; their content is never kept. */
export interface Reach {
  /** PEM file of the authority that signed the server's certificate; null = those that Node trusts. */
  ca: string | null;
  /** PEM files of a client certificate and its key; null = none is shown. */
  cert: string | null;
  key: string | null;
  /** HTTP proxy, scheme, host and port; null = none. */
  proxy: string | null;
  /** Further servers that do the same work, asked in turn with the first; whole addresses. */
  also: readonly string[];
  /** session: all turns of a conversation go to the same of these servers; absent = every ask to the next in turn. */
  spread?: 'session';
  /** HTTP/2, several asks on one connection; absent = HTTP/1.1, one ask on each. */
  http2?: true;
}

/** Stands in plan.json for a header value that may be a secret. */
export const hiddenValue = '(hidden)';

/** When asks come due. */
export type Arrival =
  | { process: 'closed' }
  | { process: 'constant' }
  | { process: 'poisson' }
  /** Gamma gaps: shape 1 is Poisson, below 1 burstier (CV = 1/√shape), above 1 more even. */
  | { process: 'gamma'; shape: number }
  /** Gaps uniform between 0 and twice the mean. */
  | { process: 'uniform' }
  /** The recorded gaps of a trace, the first one from the start; speed 2 halves them. Ends with the trace. */
  | { process: 'trace'; gapsMs: readonly number[]; speed: number };

/** A stretch in which the rate goes from one value to another. */
export interface RateStage {
  fromPerSec: number;
  toPerSec: number;
  forMs: number;
  curve: 'linear' | 'exponential';
}

/** A rate that changes with time. After the last stage its end rate goes on for ever. */
export type RateShape =
  | { kind: 'stages'; stages: readonly RateStage[] }
  | { kind: 'sine'; meanPerSec: number; swingPerSec: number; periodMs: number };

/** How hard the server is loaded. */
export interface LoadShape {
  /** closed: a new ask when one ends; open: asks come due by themselves. */
  kind: 'closed' | 'open';
  /** Asks in flight: exactly this many (closed), at most this many (open; null = no cap). */
  concurrency: number | null;
  /** Asks per second; under a shape, the mean over the run as planned. */
  ratePerSec: number | null;
  arrival: Arrival;
  /** The rate over time; absent = ratePerSec throughout. */
  shape?: RateShape;
  /** Closed loop: slots open one after the other over this time; absent = all at once. */
  rampMs?: number;
  /** Open loop: what comes due are conversations; their further turns follow the answers, after the user has thought. */
  sessions?: true;
  /** Open loop above the cap: drop instead of sending late. */
  dropLate: boolean;
}

/** Which prompts were asked, so that a later run can ask the same. */
export interface DatasetFacts {
  /** As on the command line: `openqa:FILE`, `lines:FILE`, `builtin:questions`. */
  spec: string;
  kind: string;
  /** Base name of the file; never a full path of the user's machine. */
  name: string;
  /** sha256 of the content, hex; null = not a file. */
  hash: string | null;
  /** Prompts it holds; null = not counted. */
  items: number | null;
  bytes: number | null;
  /** The first prompt of this run is the dataset's number `offset` (a sweep's points take slices). */
  offset: number;
  /** Requests that its prompts stand for, where some are conversations; null = not counted, absent = one each. */
  asks?: number | null;
  /** The run asks for more prompts than there are, so they repeat. */
  cycled: boolean;
  /** What else decides the prompts: field, order, tokenizer, template …; absent = nothing else. */
  settings?: Readonly<Record<string, string | number | boolean>>;
}

/** Limits on one request; null = no limit. */
export interface Timeouts {
  connectMs: number | null;
  /** From the send to the first output. */
  ttftMs: number | null;
  /** Between two reads that carried anything. */
  readMs: number | null;
  /** From the send to the end. */
  totalMs: number | null;
}

/** Requests sent and drained before measuring starts: so many, or for so long. */
export type Warmup = { requests: number } | { forMs: number };

/** Everything needed to repeat one load point. Plain data, frozen; written to plan.json before the first byte is sent. */
export interface RunPlan {
  label: string | null;
  target: Target;
  dataset: DatasetFacts;
  generation: Generation;
  /** Lengths asked for; absent = as the dataset has them. */
  lengths?: Lengths;
  /** What else tells this run from others: settings of the server that it was started with, a variant. Absent = nothing. */
  asked?: PointAsked;
  load: LoadShape;
  /** Measured requests; null = as many as come due within durationMs. */
  requests: number | null;
  /** Sending stops after this long; null = only the count ends the run. */
  durationMs: number | null;
  warmup: Warmup | null;
  timeouts: Timeouts;
  seed: number;
  /** `ttft.p99<2s` …, as written. */
  slo: readonly string[];
  keepText: boolean;
  /** How often an ask that was turned away (429, 503, no connection) is made again; absent = never. */
  retries?: number;
  /** `failed>5%` …, as written: what ends the run early; absent = nothing. */
  stopWhen?: readonly string[];
  /** `failed-invalid=80%` …, as written: numbers of the verdict that are not the usual ones; absent = the usual ones. */
  limits?: readonly string[];
}
