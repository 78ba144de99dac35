import { z } from './shape.ts';
import { loadStates, problems } from '../../../core/index.ts';
import type {
  ClientHealth,
  Counts,
  Distribution,
  Figures,
  Finding,
  ProblemCode,
  SpeedDistribution,
  Summary,
} from '../../../core/index.ts';
import type { Same } from './same.ts';

const maybe = z.number().nullable();
const count = z.int().min(0);

const distribution = z
  .object({
    mean: maybe,
    min: maybe,
    max: maybe,
    p50: maybe,
    p66: maybe,
    p75: maybe,
    p80: maybe,
    p90: maybe,
    p95: maybe,
    p98: maybe,
    p99: maybe,
    n: count,
    shape: z.array(count).exactOptional(),
  })
  .meta({ id: 'distribution' });
const maybeDistribution = distribution.nullable();
const speedDistribution = distribution
  .extend({ p1: maybe.exactOptional(), p10: maybe.exactOptional() })
  .meta({ id: 'speedDistribution' });

const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

// A run of ours knows all its counts, so core types them as numbers; an imported table may not say some of them.
const saidCount = count.nullable() as unknown as typeof count;

const counts = z.object({
  planned: saidCount,
  issued: saidCount,
  ok: saidCount,
  failed: saidCount,
  cancelled: saidCount,
  dropped: saidCount,
  unaccounted: saidCount,
  byProblem: z.partialRecord(z.enum(problemCodes), count),
});

const figures = z.object({
  requestsPerSec: maybe,
  inputTokensPerSec: maybe,
  outputTokensPerSec: maybe,
  totalTokensPerSec: maybe,
  concurrencyAchieved: maybe,
  latencyMs: maybeDistribution,
  ttftMs: maybeDistribution,
  tpotMs: maybeDistribution,
  itlMs: maybeDistribution,
  latencyFromDueMs: maybeDistribution,
  ttftFromDueMs: maybeDistribution,
  latenessMs: maybeDistribution,
});

/** A finding whose Chinese is missing (older or foreign files) is shown in its English. */
export const findingSchema = z
  .object({
    code: z.string(),
    severity: z.enum(['info', 'warn', 'invalid']),
    message: z.string(),
    evidence: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
    advice: z.string(),
    zh: z.object({ message: z.string(), advice: z.string() }).optional(),
  })
  .transform((finding): Finding => ({
    ...finding,
    zh: finding.zh ?? { message: finding.message, advice: finding.advice },
  }));

const client = z.object({
  loopDelayP50Ms: maybe.default(null),
  loopDelayP90Ms: maybe.exactOptional(),
  loopDelayP99Ms: maybe,
  loopDelayMaxMs: maybe.default(null),
  cpuRatio: maybe,
  threads: count.default(1),
  connectionsOpened: maybe.default(null),
  connectionsReused: maybe.default(null),
  rssMaxBytes: maybe.default(null),
  cpuPerThread: z.array(z.number()).exactOptional(),
  cpuWaitRatio: z.number().exactOptional(),
  stolenRatio: z.number().exactOptional(),
  pollRatio: z.number().exactOptional(),
  napRatio: z.number().exactOptional(),
  gc: z.object({ pauses: count, totalMs: z.number(), maxMs: z.number() }).exactOptional(),
  connecting: z
    .object({ count, meanMs: z.number(), maxMs: z.number(), tlsMeanMs: maybe, tlsMaxMs: maybe })
    .exactOptional(),
  sendBacklogMaxBytes: z.number().exactOptional(),
  socketBuffersMaxBytes: maybe.exactOptional(),
  fileHandlesLeft: maybe.exactOptional(),
  fileHandlesLimit: maybe.exactOptional(),
  portsLeft: maybe.exactOptional(),
  portsLimit: maybe.exactOptional(),
  serverClockSkewMs: z.number().exactOptional(),
});

/** One interruption that a run went on after. */
export const resumption = z.object({
  at: z.iso.datetime(),
  atMs: z.number(),
  gapMs: z.number(),
  monotonicOriginNs: z.string().regex(/^\d+$/).nullable(),
});

const stoppedBecause = z.object({
  rule: z.string(),
  atMs: z.number(),
  message: z.string(),
  evidence: z.record(z.string(), z.number()),
  zh: z.string(),
});

const retries = z.object({ requests: count, attempts: count, askedToWait: count, longestWaitMs: maybe });

const flow = z.object({
  state: z.enum(loadStates),
  rising: z.boolean(),
  duePerSec: maybe,
  answeredPerSec: maybe,
  pilingRatio: maybe,
  openEarly: maybe,
  openLate: maybe,
  unserved: count,
});

const silence = z.object({
  fromMs: z.number(),
  toMs: z.number(),
  waiting: count,
  lost: count,
  back: z.boolean(),
});

const undisturbed = z.object({
  requestsPerSec: maybe,
  outputTokensPerSec: maybe,
  latencyMs: maybeDistribution,
  ttftMs: maybeDistribution,
});

const worker = z.object({
  name: z.string(),
  host: z.string(),
  labels: z.record(z.string(), z.string()),
  state: z.enum(['stayed', 'left', 'lost']),
  exchanges: count,
  ok: count.exactOptional(),
  failed: count.exactOptional(),
  lostAsks: count,
  lateExchanges: count,
  bufferedMost: maybe,
  clockErrorMs: z.number(),
  clockDriftMs: maybe,
  health: client.nullable(),
});

const mention = z.object({
  key: z.string(),
  digits: z.string(),
  line: z.number(),
  where: z.enum(['table', 'block', 'heading']),
});

const tokenSource = z.enum(['server', 'client', 'mixed']).nullable();
/** What was asked of a point beyond its load and lengths. */
export const pointAsked = z.object({
  engine: z.string().exactOptional(),
  variant: z.string().exactOptional(),
  settings: z.record(z.string(), z.string()).exactOptional(),
  card: z.string().exactOptional(),
  cards: z.number().positive().exactOptional(),
});

const facts = z.record(z.string(), z.unknown()).nullable();

/**
 * summary.json. Keys that the contract in docs/reference names are required; the others are filled in when a file
 * does not have them, so that older and foreign summaries can be read.
 */
export const summarySchema = z
  .object({
    schema: z.literal('llmdyno.summary/1'),
    runId: z.string(),
    label: z.string().nullable(),
    source: z.object({ tool: z.string(), file: z.string().nullable(), block: z.string().exactOptional() }),
    simulated: z.boolean(),
    engine: z.object({ server: z.string(), simulated: z.boolean() }).exactOptional(),
    models: z.array(z.string()).exactOptional(),
    partial: z.boolean().default(false),
    stoppedBecause: stoppedBecause.exactOptional(),
    resumed: z.array(resumption).exactOptional(),
    retries: retries.exactOptional(),
    model: z.string().nullable().default(null),
    startedAt: z.string().nullable().default(null),
    load: z.object({
      kind: z.enum(['closed', 'open', 'replay']).nullable(),
      concurrency: maybe,
      ratePerSec: maybe,
      stream: z.boolean().nullable(),
    }),
    lengthsAsked: z.object({ input: z.string().nullable(), output: z.string().nullable() }).exactOptional(),
    asked: pointAsked.exactOptional(),
    counts,
    durationMs: maybe,
    inputCharsPerSec: maybe,
    outputCharsPerSec: maybe,
    ...figures.shape,
    timeToAnswerMs: maybeDistribution.default(null),
    inputTokens: maybeDistribution,
    outputTokens: maybeDistribution,
    userTokensPerSec: speedDistribution.nullable(),
    cachedInputRatio: maybe.default(null),
    eligibleInputRatio: maybe.exactOptional(),
    goodput: z.object({ slo: z.array(z.string()), requestsPerSec: maybe, ratio: maybe }).nullable(),
    slo: z.array(z.object({ promise: z.string(), measured: maybe, kept: z.boolean().nullable() })).exactOptional(),
    accuracy: z.object({ correct: count, of: count, ratio: z.number() }).exactOptional(),
    steady: z.object({ fromMs: z.number(), toMs: z.number(), ...figures.shape }).nullable(),
    flow: flow.exactOptional(),
    impossibleCounts: count.exactOptional(),
    textlessAnswers: count.exactOptional(),
    silences: z.array(silence).exactOptional(),
    undisturbed: undisturbed.exactOptional(),
    percentileMethod: z.string().nullable().default(null),
    tokenSource: z.object({ input: tokenSource, output: tokenSource }).default({ input: null, output: null }),
    printed: z.record(z.string(), z.string()),
    printedLines: z.record(z.string(), z.number()).exactOptional(),
    alsoPrinted: z.array(mention).exactOptional(),
    server: facts,
    devices: facts,
    client: client.nullable(),
    workers: z.array(worker).exactOptional(),
    verdict: z.object({ valid: z.boolean(), findings: z.array(findingSchema) }),
  })
  .meta({ id: 'summary' });

/** What the file holds beside a summary: what other programs look for under one key, worked out from several. */
export const summaryDocumentSchema = summarySchema
  .extend({
    point: z
      .object({
        load: maybe,
        input: z.union([z.string(), z.number()]).nullable(),
        output: z.union([z.string(), z.number()]).nullable(),
        variant: z.string().nullable(),
        settings: z.record(z.string(), z.string()).nullable(),
        repetition: count,
      })
      .exactOptional(),
    cache: z
      .object({ hitRatio: maybe, eligibleRatio: maybe, source: z.enum(['server', 'usage']).nullable() })
      .exactOptional(),
    loadState: z.enum(loadStates).exactOptional(),
    roof: z
      .object({
        card: z.string(),
        cards: z.number(),
        memoryBytesPerSec: z.number(),
        flopsPerSec: z.number(),
        step: z
          .object({ measuredMs: z.number(), leastMs: z.number(), sequences: z.number(), memoryRatio: z.number() })
          .nullable(),
        promptComputeRatio: maybe,
      })
      .nullable()
      .exactOptional(),
  })
  .meta({ id: 'summary' });

// The compiler refuses this file when a shape drifts from core.
true satisfies Same<z.infer<typeof summarySchema>, Summary>;
true satisfies Same<z.infer<typeof distribution>, Distribution>;
true satisfies Same<z.infer<typeof speedDistribution>, SpeedDistribution>;
true satisfies Same<z.infer<typeof counts>, Counts>;
true satisfies Same<z.infer<typeof figures>, Figures>;
true satisfies Same<z.infer<typeof client>, ClientHealth>;
