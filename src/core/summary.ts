import type { PointAsked } from './dimensions.ts';
import type { Verdict } from './finding.ts';
import type { ProblemCode } from './problem.ts';
import type { ClientHealth, WorkerShareFacts } from './runner.ts';
import type { Searched } from './searched.ts';

/** The percentiles that every distribution carries. */
export const percentileRanks = [50, 66, 75, 80, 90, 95, 98, 99] as const;
export type PercentileKey = `p${(typeof percentileRanks)[number]}`;

/** A distribution; a figure that is not known is null, its key stays. n is the number of samples behind it. */
export interface Distribution extends Record<PercentileKey, number | null> {
  mean: number | null;
  min: number | null;
  max: number | null;
  n: number;
  /** How many samples lie in each of ten equal stretches from min to max; absent = not worked out. */
  shape?: number[];
}

/** The percentiles of slow users, which only a speed has. */
export const slowRanks = [1, 10] as const;

/** A speed: its low percentiles are the slow users; absent = not worked out (imports, runs of before). */
export interface SpeedDistribution extends Distribution {
  p1?: number | null;
  p10?: number | null;
}

/** Where every planned request went: planned = ok + failed + cancelled + dropped + unaccounted. */
export interface Counts {
  planned: number;
  /** planned − dropped. */
  issued: number;
  ok: number;
  failed: number;
  cancelled: number;
  dropped: number;
  /** What a log lost, or a killed run never wrote; 0 in every run of ours that ended by itself. */
  unaccounted: number;
  byProblem: Partial<Record<ProblemCode, number>>;
}

/** Rates and distributions over one stretch of time. Rates are per second; null = not known. */
export interface Figures {
  requestsPerSec: number | null;
  inputTokensPerSec: number | null;
  outputTokensPerSec: number | null;
  totalTokensPerSec: number | null;
  concurrencyAchieved: number | null;
  latencyMs: Distribution | null;
  /** From the send to the first output; null where not streamed. */
  ttftMs: Distribution | null;
  /** (latency − ttft) / (output tokens − 1), per request. */
  tpotMs: Distribution | null;
  /** Gaps between output tokens, pooled over all requests, per token. */
  itlMs: Distribution | null;
  latencyFromDueMs: Distribution | null;
  ttftFromDueMs: Distribution | null;
  /** How late asks left, against their due time. */
  latenessMs: Distribution | null;
}

/** The stretch in which the asked load stood; edges on the run's clock. */
export interface Steady extends Figures {
  fromMs: number;
  toMs: number;
}

/** The figures to quote first: of the steady part, where a run has one, because start and drain weigh on the whole. */
export function quotedFigures(summary: Figures & { steady: Steady | null }): Figures {
  return summary.steady ?? summary;
}

/** Whether a server kept up with what was asked of it: it did, it would have fallen behind for ever, or that cannot be told. */
export const loadStates = ['stable', 'overloaded', 'unknown'] as const;
export type LoadState = (typeof loadStates)[number];

/** What came due beside what was answered while requests were sent; a figure that cannot be told is null. */
export interface Flow {
  state: LoadState;
  /** More and more requests were under way for as long as they were sent: no stretch of such a run is steady. */
  rising: boolean;
  /** Over the stretch that is judged: from where the server had filled up until the last request came due. */
  duePerSec: number | null;
  answeredPerSec: number | null;
  /** Of what came due while the server was full, the share that piled up. */
  pilingRatio: number | null;
  /** Requests due and not answered, mean over the first and the last quarter of the stretch that is judged. */
  openEarly: number | null;
  openLate: number | null;
  /** Turned away (429, 503), timed out, or dropped because no slot was free. */
  unserved: number;
}

/** A stretch in which nothing was heard from the server though requests were waiting or were lost; to 0.1 s. */
export interface Silence {
  fromMs: number;
  toMs: number;
  /** Most requests that waited at once. */
  waiting: number;
  /** Requests that were refused, reset or broken off meanwhile. */
  lost: number;
  /** The server was heard again. */
  back: boolean;
}

/** What the run says without its silences: rates over the rest of the time, times of the requests that met none. */
export interface Undisturbed {
  requestsPerSec: number | null;
  outputTokensPerSec: number | null;
  latencyMs: Distribution | null;
  ttftMs: Distribution | null;
}

/** Requests that met every SLO. */
export interface Goodput {
  slo: string[];
  requestsPerSec: number | null;
  /** Of all measured requests that were issued. */
  ratio: number | null;
}

/** One promise of --slo and what became of it. */
export interface PromiseKept {
  /** As written. */
  promise: string;
  /** In ms, as a ratio, or per second; null = the run does not know it. */
  measured: number | null;
  /** null = it cannot be told. */
  kept: boolean | null;
}

/** Which stop rule ended a run, what it saw, and when on the run's clock. */
export interface StoppedBecause {
  /** As written. */
  rule: string;
  atMs: number;
  message: string;
  evidence: Readonly<Record<string, number>>;
  zh: string;
}

/** One interruption that a run went on after. The run's clock stands still meanwhile, so no figure holds the gap. */
export interface Resumption {
  /** When it went on, ISO 8601. */
  at: string;
  /** Place of the break on the run's clock. */
  atMs: number;
  /** Wall time between the last record before and the going on. */
  gapMs: number;
  /** Zero of the run's clock from here on, on CLOCK_MONOTONIC, decimal nanoseconds; null for virtual time. */
  monotonicOriginNs: string | null;
}

/** What was asked more than once, and what servers asked to wait. */
export interface Retries {
  /** Requests that took more than one attempt. */
  requests: number;
  /** Attempts beyond the first, of all requests. */
  attempts: number;
  /** Requests that ended refused with a Retry-After, and the longest of them. */
  askedToWait: number;
  longestWaitMs: number | null;
}

/** One more place in an imported document that prints a figure of a point, in the unit used there. */
export interface Mention {
  /** Key as in Summary.printed. */
  key: string;
  digits: string;
  line: number;
  /** table: a table of the document; block: another line of the log block; heading: the line above it. */
  where: 'table' | 'block' | 'heading';
}

/** One load point, ours, imported or simulated: `llmdyno.summary/1`. */
export interface Summary extends Figures {
  schema: 'llmdyno.summary/1';
  runId: string;
  label: string | null;
  /** block: the tool's own block, line by line as it stood in running text; absent = none, or it told of several points. */
  source: { tool: string; file: string | null; block?: string };
  /** The whole run was played in virtual time; an engine that is simulated behind a real load is told by `engine`. */
  simulated: boolean;
  /** Who answered, in its own words, and whether that is a simulated engine; absent = it did not say. */
  engine?: { server: string; simulated: boolean };
  /** What the server listed as its models right before the load, the asked one first; absent = it was not asked, or lists none. */
  models?: readonly string[];
  /** The run did not end by itself: interrupted, killed, or stopped by a rule. */
  partial: boolean;
  /** Absent = no stop rule ended it. */
  stoppedBecause?: StoppedBecause;
  /** Absent = it ran in one piece. */
  resumed?: readonly Resumption[];
  /** Absent = every request was made once and none was asked to wait. */
  retries?: Retries;
  model: string | null;
  /** When it began, ISO 8601; null = not known. */
  startedAt: string | null;
  load: {
    kind: 'closed' | 'open' | 'replay' | null;
    concurrency: number | null;
    ratePerSec: number | null;
    stream: boolean | null;
  };
  /** The lengths that the plan asked for, in its words; absent = none. The measured ones are inputTokens, outputTokens. */
  lengthsAsked?: { input: string | null; output: string | null };
  /** What else was asked, by name; absent = nobody said. */
  asked?: PointAsked;
  counts: Counts;
  durationMs: number | null;
  inputCharsPerSec: number | null;
  outputCharsPerSec: number | null;
  /** From the send to the first answer text; null where nothing reasoned. */
  timeToAnswerMs: Distribution | null;
  inputTokens: Distribution | null;
  outputTokens: Distribution | null;
  /** Output tokens of a request over its latency: the speed one user sees. */
  userTokensPerSec: SpeedDistribution | null;
  /** Input tokens served from the cache over all input tokens; null = the server did not say. */
  cachedInputRatio: number | null;
  /** What of the input tokens these prompts alone let a server take from its cache, had it been empty, in blocks of 16 tokens; absent = not worked out. */
  eligibleInputRatio?: number | null;
  goodput: Goodput | null;
  /** Absent = nothing was promised. */
  slo?: PromiseKept[];
  /** Answers that match the dataset's, over those that could be compared; absent = the dataset has no answers. */
  accuracy?: { correct: number; of: number; ratio: number };
  steady: Steady | null;
  /** Absent = the requests were not at hand (imports), or were read by a version before this figure. */
  flow?: Flow;
  /** Answers whose server counts more tokens than they can hold; absent = none. From 1 % on no figure per token is told. */
  impossibleCounts?: number;
  /** Answers that hold tokens and no text; absent = none. */
  textlessAnswers?: number;
  /** Absent = there was none, or nobody looked. */
  silences?: Silence[];
  /** Only beside silences that ended. */
  undisturbed?: Undisturbed;
  /** How percentiles were computed: docs/reference/metrics.md explains each word. */
  percentileMethod: string | null;
  /** Where token counts came from. */
  tokenSource: { input: 'server' | 'client' | 'mixed' | null; output: 'server' | 'client' | 'mixed' | null };
  /** Imports: the digits as printed, by the key they stand for. */
  printed: Record<string, string>;
  /** Imports: the source line of each printed digit string, by the same key. */
  printedLines?: Record<string, number>;
  /** Imports: further places that print the same figure (a table beside its log, a second line of the block). */
  alsoPrinted?: Mention[];
  server: Record<string, unknown> | null;
  devices: Record<string, unknown> | null;
  client: ClientHealth | null;
  /** The machines of a run over many; absent = one machine. `client` is then the worst of each figure. */
  workers?: WorkerShareFacts[];
  verdict: Verdict;
}

/** Many load points: `llmdyno.sweep/1`. */
export interface Sweep {
  schema: 'llmdyno.sweep/1';
  id: string;
  title: string | null;
  /** What differs from point to point. */
  variable: 'concurrency' | 'rate' | 'grid';
  points: Summary[];
  findings: Verdict['findings'];
  /** Absent = it was no search, or one that was broken off or that an older version kept. */
  search?: Searched;
}

/** The distributions that a summary holds, in the order they are told. */
export const distributionNames = [
  'latencyMs',
  'ttftMs',
  'timeToAnswerMs',
  'tpotMs',
  'itlMs',
  'latencyFromDueMs',
  'ttftFromDueMs',
  'latenessMs',
  'inputTokens',
  'outputTokens',
  'userTokensPerSec',
] as const;
export type DistributionName = (typeof distributionNames)[number];
