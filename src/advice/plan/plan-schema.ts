import * as z from 'zod';

const maybe = z.number().nullable();
const phrase = z.object({ en: z.string(), zh: z.string() });
const range = z.object({ min: z.int(), mean: z.int(), max: z.int() });

const finding = z.object({
  code: z.string(),
  severity: z.enum(['info', 'warn', 'invalid']),
  message: z.string(),
  evidence: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
  advice: z.string(),
  zh: z.object({ message: z.string(), advice: z.string() }),
});

const formula = z.object({
  name: z.string(),
  /** In symbols. */
  formula: z.string(),
  /** With the numbers filled in, and what it comes to. */
  numbers: z.string(),
});

/** What the MindIE tuning guide's own arithmetic comes to. */
const guide = z.object({
  kvBytesPerToken: z.number(),
  kvBytesPerTokenPerCard: z.number(),
  npuMemSizeGiB: z.number(),
  /** The guide has no such figure. */
  engineMemSizeGiB: z.null(),
  totalBlocks: z.int(),
  blocksPerRequest: z.object({ min: z.int(), mean: z.int(), max: z.int(), expectedInFlight: z.null() }),
  maxBatchSize: range,
  /** Where the guide begins to try: within the range, the middle rounded to a hundred, which gives its 200. */
  startBatchSize: z.int(),
  maxPrefillBatchSize: z.int(),
  maxPrefillTokens: z.int(),
});

const estimates = z.object({
  kind: z.literal('roofline-estimate'),
  assumed: z.object({
    memoryRatio: z.number(),
    computeRatio: z.number(),
    linkRatio: z.number(),
    collectiveMs: z.number(),
    layerMs: z.number(),
    hostMs: z.number(),
  }),
  contextTokens: z.number(),
  points: z.array(
    z.object({
      batch: z.int(),
      /** Prefill of one prompt, and half a running step before it may begin. No queue. */
      ttftMs: z.number(),
      tpotMs: z.number(),
      outputTokensPerSec: z.number(),
      outputTokensPerSecPerCard: z.number(),
      bound: z.enum(['compute', 'memory', 'overhead']),
      /** null = no price given. */
      costPerMillionOutputTokens: maybe,
      /** At the cards' full power, so at least this; null = power not published. */
      outputTokensPerJoule: maybe,
    }),
  ),
});

const advice = z.object({
  goal: z.enum(['throughput', 'decode-limit', 'ttft-limit']),
  maxBatchSize: z.int(),
  /** Where maxBatchSize comes from: the mean blocks, or the limit on decoding (estimated). */
  boundBy: z.enum(['memory', 'decode-limit', 'decode-limit-unreachable']),
  maxPrefillBatchSize: z.int(),
  maxPrefillTokens: z.int(),
  maxSeqLen: z.int(),
  maxInputTokenLen: z.int(),
  maxIterTimes: z.int(),
  supportSelectBatch: z.boolean(),
  prefillTimeMsPerReq: z.number(),
  decodeTimeMsPerReq: z.number(),
  /** Rounds a waiting prompt sits out under the waste rule when the batch is half, three quarters, and nine tenths full. */
  waitRounds: z.object({ half: z.number(), threeQuarters: z.number(), nineTenths: z.number() }),
  maxPreemptCount: z.int(),
  cpuMemSizeGiB: z.number(),
  /** In flight from the client: fills the batch, queues nobody. */
  clientConcurrency: z.int(),
  maxLinkNum: z.int(),
});

/** `dyno plan --json`: llmdyno.plan/1. */
export const planSchema = z.object({
  schema: z.literal('llmdyno.plan/1'),
  model: z.object({
    name: z.string(),
    attention: z.enum(['mha', 'gqa', 'mqa', 'mla']),
    layers: z.int(),
    kvHeads: z.int(),
    headDim: z.number(),
    /** null = the config does not say. */
    maxPositionTokens: z.int().nullable(),
    /** null = cannot be counted from the config. */
    parameters: maybe,
    activeParameters: maybe,
    source: z.string().nullable(),
  }),
  cards: z.object({
    name: z.string(),
    /** null = only its memory was told. */
    vendor: z.string().nullable(),
    count: z.int(),
    tensor: z.int(),
    pipeline: z.int(),
    data: z.int(),
    expert: z.int().nullable(),
    source: z.string().nullable(),
  }),
  workload: z.object({
    inputTokens: z.int(),
    outputTokens: z.int(),
    maxInputTokens: z.int(),
    maxOutputTokens: z.int(),
    blockSize: z.int(),
  }),
  memory: z.object({
    totalGiB: z.number(),
    idleGiB: z.number(),
    weightsTotalGiB: z.number(),
    weightsPerCardGiB: z.number(),
    weightsFrom: z.enum(['told', 'folder', 'config']),
    runtimeGiB: z.number(),
    activationGiB: z.number(),
    leftGiB: z.number(),
    memoryFraction: z.number(),
  }),
  kvBytesPerToken: z.number(),
  kvBytesPerTokenPerCard: z.number(),
  npuMemSizeGiB: z.number(),
  engineMemSizeGiB: z.number(),
  totalBlocks: z.int(),
  totalBlocksFrom: z.enum(['formula', 'server-log']),
  blocksPerRequest: z.object({ min: z.int(), mean: z.int(), max: z.int(), expectedInFlight: z.number() }),
  maxBatchSize: range,
  /** Sequences that fit when each is somewhere between its first and last token. */
  expectedConcurrent: z.int(),
  maxPrefillBatchSize: z.int(),
  maxPrefillTokens: z.int(),
  maxSeqLen: z.int(),
  advice,
  environment: z.array(z.object({ name: z.string(), value: z.string(), why: phrase })),
  /** What a server's log said of its limits; null = nothing. */
  server: z.object({ maxBatchSize: z.int().nullable(), maxPrefillTokens: z.int().nullable() }),
  vllm: z.object({
    gpuMemoryUtilization: z.number(),
    blockSize: z.int(),
    /** total × utilization − weights − activations, or what the server's log says. */
    kvCacheGiB: z.number(),
    totalBlocks: z.int(),
    /** What one request of maxModelLen keeps on a card. */
    longestRequestGiB: z.number(),
    maxNumSeqs: z.int(),
    maxNumBatchedTokens: z.int(),
    maxModelLen: z.int(),
  }),
  largest: z.object({
    /** One request alone may be this long: all blocks, or what the model was made for. */
    contextTokens: z.int(),
    contextBoundBy: z.enum(['memory', 'model']),
    /** Parameters of the largest model whose weights, in the same format, leave room for one request of maximal length. */
    parameters: z.number(),
    /** The largest of data/models that does; null = none. */
    model: z.string().nullable(),
  }),
  /** null = the card's rates are not known. */
  estimates: estimates.nullable(),
  /** The same as a line, for a simulator that has no measured profile; null = the card's rates are not known. */
  stepCostPrior: z
    .object({
      aMs: z.number(),
      cMsPerDecode: z.number(),
      p1MsPerPrefillToken: z.number(),
      kMsPer1000KvTokens: z.number(),
    })
    .nullable(),
  formulas: z.array(formula),
  guide,
  differences: z.array(z.object({ code: z.string(), guide: z.string(), ours: z.string(), why: phrase })),
  notes: z.array(finding),
});

/** A whole plan, as `--json` prints it. */
export type PlanDocument = z.infer<typeof planSchema>;

/** `dyno plan --check FILE --json`: llmdyno.plan-check/1. */
export const planCheckSchema = z.object({
  schema: z.literal('llmdyno.plan-check/1'),
  file: z.string(),
  verdict: z.object({ valid: z.boolean(), findings: z.array(finding) }),
});

/** The result of checking a server's config. */
export type PlanCheck = z.infer<typeof planCheckSchema>;

/** The JSON Schemas (draft 2020-12) of this room's documents, by the name they are published under in schemas/. */
export function planJsonSchemas(): Record<'capacity-plan' | 'capacity-check', Record<string, unknown>> {
  const published = (schema: z.ZodType, title: string): Record<string, unknown> => {
    const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
    return { $schema, title, ...rest };
  };
  return {
    'capacity-plan': published(planSchema, 'dyno plan --json (llmdyno.plan/1)'),
    'capacity-check': published(planCheckSchema, 'dyno plan --check --json (llmdyno.plan-check/1)'),
  };
}
