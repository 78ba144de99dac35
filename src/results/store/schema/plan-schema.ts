import { pointAsked } from './summary-schema.ts';
import { z } from './shape.ts';
import { apiNames } from '../../../core/index.ts';
import type { RunPlan } from '../../../core/index.ts';
import type { Same } from './same.ts';
import { resumption } from './summary-schema.ts';

const count = z.int().min(0);
const maybeMs = z.number().min(0).nullable();

const generation = z.object({
  stream: z.boolean(),
  maxTokens: count.nullable(),
  minTokens: count.nullable(),
  temperature: z.number().nullable(),
  ignoreEos: z.boolean(),
  stop: z.array(z.string()),
  body: z.record(z.string(), z.unknown()),
});

const target = z.object({
  url: z.string(),
  api: z.enum(apiNames),
  model: z.string(),
  headers: z.record(z.string(), z.string()),
  keyEnv: z.string().nullable(),
  insecure: z.boolean(),
  reach: z
    .object({
      ca: z.string().nullable(),
      cert: z.string().nullable(),
      key: z.string().nullable(),
      proxy: z.string().nullable(),
      also: z.array(z.string()),
      spread: z.literal('session').exactOptional(),
      http2: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  server: z.string().exactOptional(),
  wire: z
    .object({
      path: z.string().nullable(),
      body: z.record(z.string(), z.unknown()),
      stream: z.object({ cut: z.enum(['events', 'objects']), endsBy: z.enum(['finish', 'body']) }).nullable(),
      text: z.string(),
      reasoning: z.string().nullable(),
      inputTokens: z.string().nullable(),
      outputTokens: z.string().nullable(),
      finish: z.string().nullable(),
      error: z.string().nullable(),
    })
    .exactOptional(),
});

const dataset = z.object({
  spec: z.string(),
  kind: z.string(),
  name: z.string(),
  hash: z.string().nullable(),
  items: count.nullable(),
  bytes: count.nullable(),
  offset: count,
  asks: count.nullable().exactOptional(),
  cycled: z.boolean(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).exactOptional(),
});

const spread = {
  mean: z.number(),
  deviation: z.number(),
  min: z.number().nullable(),
  max: z.number().nullable(),
};
const lengthLaw = z.discriminatedUnion('law', [
  z.object({ law: z.literal('fixed'), tokens: z.number() }),
  z.object({ law: z.literal('uniform'), min: z.number(), max: z.number() }),
  z.object({ law: z.enum(['normal', 'lognormal']), ...spread }),
  z.object({ law: z.literal('zipf'), alpha: z.number(), min: z.number(), max: z.number() }),
]);

const stage = z.object({
  fromPerSec: z.number(),
  toPerSec: z.number(),
  forMs: z.number(),
  curve: z.enum(['linear', 'exponential']),
});
const rateShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stages'), stages: z.array(stage) }),
  z.object({ kind: z.literal('sine'), meanPerSec: z.number(), swingPerSec: z.number(), periodMs: z.number() }),
]);

const load = z.object({
  kind: z.enum(['closed', 'open']),
  concurrency: count.nullable(),
  ratePerSec: z.number().nullable(),
  arrival: z.discriminatedUnion('process', [
    z.object({ process: z.literal('closed') }),
    z.object({ process: z.literal('constant') }),
    z.object({ process: z.literal('poisson') }),
    z.object({ process: z.literal('gamma'), shape: z.number() }),
    z.object({ process: z.literal('uniform') }),
    z.object({ process: z.literal('trace'), gapsMs: z.array(z.number()), speed: z.number() }),
  ]),
  shape: rateShape.exactOptional(),
  rampMs: z.number().exactOptional(),
  sessions: z.literal(true).exactOptional(),
  dropLate: z.boolean(),
});

/** The plan inside plan.json. */
export const planSchema = z.object({
  label: z.string().nullable(),
  target,
  dataset,
  generation,
  lengths: z.object({ input: lengthLaw.nullable(), output: lengthLaw.nullable() }).exactOptional(),
  asked: pointAsked.exactOptional(),
  load,
  requests: count.nullable(),
  durationMs: maybeMs,
  warmup: z.union([z.object({ requests: count }), z.object({ forMs: z.number().min(0) })]).nullable(),
  timeouts: z.object({ connectMs: maybeMs, ttftMs: maybeMs, readMs: maybeMs, totalMs: maybeMs }),
  seed: z.number(),
  slo: z.array(z.string()),
  keepText: z.boolean(),
  retries: count.exactOptional(),
  stopWhen: z.array(z.string()).exactOptional(),
  limits: z.array(z.string()).exactOptional(),
});

const host = z.object({
  os: z.string(),
  arch: z.string(),
  cpu: z.string().nullable(),
  cores: count,
  memoryBytes: count,
});

/** plan.json: everything needed to repeat a run, written before the first byte is sent. */
export const runRecordSchema = z.object({
  schema: z.literal('llmdyno.run/1'),
  runId: z.string(),
  kind: z.literal('run'),
  /** When it began, ISO 8601 UTC. */
  startedAt: z.iso.datetime(),
  /** Zero of the exchanges' clock on this host's CLOCK_MONOTONIC, decimal nanoseconds; null for virtual time. */
  monotonicOriginNs: z.string().regex(/^\d+$/).nullable(),
  simulated: z.boolean(),
  /** Version of llmdyno that ran. */
  llmdyno: z.string(),
  node: z.string(),
  host,
  /** argv without secrets; null = not started from a command line. */
  command: z.array(z.string()).nullable(),
  sweepId: z.string().nullable(),
  /** The interruptions that it went on after; absent = none. */
  resumed: z.array(resumption).exactOptional(),
  plan: planSchema,
});

/** What plan.json holds. */
export type RunRecord = z.infer<typeof runRecordSchema>;
/** The machine that made the load. */
export type HostFacts = z.infer<typeof host>;

// The compiler refuses this file when a shape drifts from core.
true satisfies Same<z.infer<typeof planSchema>, RunPlan>;
