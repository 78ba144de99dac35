import { z } from './shape.ts';
import type { Sweep } from '../../../core/index.ts';
import type { Same } from './same.ts';
import { findingSchema, summarySchema } from './summary-schema.ts';

const variable = z.enum(['concurrency', 'rate', 'grid']);

const search = z.object({
  kind: z.enum(['concurrency', 'rate', 'lanes']),
  value: z.number().nullable(),
  confirmed: z.boolean(),
  breaksAt: z.number().nullable(),
  limit: z.enum(['batch', 'kv', 'prefill', 'decode', 'front', 'client', 'range', 'unknown']),
  slo: z.array(z.object({ promise: z.string(), measured: z.number().nullable(), kept: z.boolean().nullable() })),
  looks: z.array(z.object({ runId: z.string(), value: z.number(), kept: z.boolean(), fresh: z.boolean() })),
  durationMs: z.number(),
  outOfRuns: z.boolean(),
});

/** A sweep with its points' summaries in it, as `dyno sweep --json` prints it; the contract names schema and points. */
export const sweepSchema = z.object({
  schema: z.literal('llmdyno.sweep/1'),
  id: z.string().default(''),
  title: z.string().nullable().default(null),
  variable: variable.default('concurrency'),
  points: z.array(summarySchema),
  findings: z.array(findingSchema).default([]),
  search: search.exactOptional(),
});

/** sweep.json on disk: the points are named by their run folders, which lie beside it. */
export const sweepRecordSchema = z.object({
  schema: z.literal('llmdyno.sweep/1'),
  id: z.string(),
  title: z.string().nullable(),
  variable,
  startedAt: z.iso.datetime(),
  llmdyno: z.string(),
  /** argv without secrets; null = not started from a command line. */
  command: z.array(z.string()).nullable(),
  /** Every point that was asked for has been run. */
  finished: z.boolean(),
  /** Run ids in the order they were run. */
  points: z.array(z.string()),
  /** An imported sweep carries its points here: load tests that ran elsewhere have no run folder. */
  summaries: z.array(summarySchema).exactOptional(),
  findings: z.array(findingSchema),
  /** What a search concluded; absent = it was none, or has not ended. */
  search: search.exactOptional(),
});

/** What sweep.json holds. */
export type SweepRecord = z.infer<typeof sweepRecordSchema>;

// The compiler refuses this file when a shape drifts from core.
true satisfies Same<z.infer<typeof sweepSchema>, Sweep>;
