import { z } from './shape.ts';
import { stopReasons } from './next-step.ts';
import { trialOutcomes, trialPhases } from './trial.ts';

const maybe = z.number().nullable();
const value = z.union([z.number(), z.boolean(), z.string()]);
const settings = z.record(z.string(), value);
const load = z.object({ concurrency: maybe, ratePerSec: maybe });
const figures = z.record(z.string(), maybe);
const interval = z.tuple([z.number(), z.number()]).nullable();
const phrase = z.object({ en: z.string(), zh: z.string() });
/** llmdyno.summary/1; its own schema says more. */
const summary = z.looseObject({ schema: z.literal('llmdyno.summary/1') }).nullable();

const trial = z.object({
  number: z.int(),
  phase: z.enum(trialPhases),
  variant: z.string().nullable(),
  settings,
  load,
  seed: z.number(),
  outcome: z.enum(trialOutcomes),
  cause: z.string().nullable(),
  /** false = the audit says that its figures must not be used as they stand (a client at its limit …). */
  valid: z.boolean(),
  /** Whether every SLO was kept as measured; null = a figure is missing. */
  feasible: z.boolean().nullable(),
  objective: maybe,
  figures,
  predicted: z
    .object({
      by: z.enum(['simulator', 'trials']),
      figures: z.record(z.string(), z.object({ middle: z.number(), low: z.number(), high: z.number() })),
    })
    .nullable(),
  runId: z.string().nullable(),
  restarted: z.boolean(),
  startedAt: z.string().nullable(),
  durationMs: maybe,
});

const standing = z.object({
  slo: z.string(),
  value: maybe,
  bound: maybe,
  limit: z.number(),
  met: z.boolean(),
  /** Requests behind a share of failures; null = it is another figure, or they are not known. */
  failures: z.object({ failed: z.number(), issued: z.number() }).nullable(),
  unproven: z.boolean(),
});

const chosen = z.object({
  settings,
  load,
  summary,
  confirmed: z.boolean(),
  feasible: z.boolean().nullable(),
  /** Mean over its fresh runs (all its runs where there are none), with a 90 % interval. */
  objective: z.object({ mean: maybe, interval }),
  predicted: trial.shape.predicted,
  standings: z.array(standing),
  trials: z.array(z.int()),
});

/** `dyno tune --json` and tune.json: llmdyno.tune/1. */
export const tuneSchema = z.object({
  schema: z.literal('llmdyno.tune/1'),
  tuneId: z.string(),
  name: z.string().nullable(),
  running: z.boolean(),
  simulated: z.boolean(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  objective: z.object({ metric: z.string(), direction: z.enum(['most', 'least']) }),
  slos: z.array(z.string()),
  budget: z.object({ runs: z.int(), hours: maybe }),
  best: chosen.nullable(),
  runnerUp: chosen.nullable(),
  /** Others that runs cannot tell from the best. */
  equal: z.array(z.object({ settings, load, mean: maybe })),
  binding: z
    .object({
      slo: z.string(),
      value: maybe,
      bound: maybe,
      limit: z.number(),
      relaxed: z.object({ byRatio: z.number(), limit: z.number(), gainRatio: z.number() }),
    })
    .nullable(),
  /** Ranges that end where the best settings lie; next = the end to try, null = only the server knows how far it goes. */
  rangeEnds: z.array(
    z.object({
      setting: z.string(),
      value: z.number(),
      from: z.number(),
      to: z.number(),
      side: z.enum(['low', 'high']),
      next: maybe,
    }),
  ),
  /** false = nothing kept the limits under the load that was asked for, so that the best settings are those under less of it. */
  loadAsked: z.boolean(),
  /** What to change: by file and JSON path, by flag, by environment variable. */
  patch: z.object({
    files: z.array(z.object({ file: z.string(), set: z.record(z.string(), value) })),
    command: z.string().nullable(),
    env: z.record(z.string(), z.string()),
  }),
  /** Arms of an experiment without search; empty = it was a search. */
  variants: z.array(
    z.object({
      name: z.string(),
      settings,
      ok: z.int(),
      bad: z.int(),
      mean: maybe,
      interval,
      changeRatio: maybe,
      changeInterval: interval,
      failedRatio: maybe,
      verdict: z.enum(['baseline', 'better', 'worse', 'no-difference', 'failures-differ', 'too-few']),
    }),
  ),
  runs: z.int(),
  restarts: z.int(),
  trials: z.array(trial),
  stoppedBecause: z.enum(stopReasons).nullable(),
  words: phrase,
});

/** A whole tune, as it is written and printed. */
export type TuneDocument = z.infer<typeof tuneSchema>;

/** The JSON Schema (draft 2020-12) of this room's document, by the name it is published under. */
export function tuneJsonSchemas(): Record<'tune', Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(tuneSchema, { target: 'draft-2020-12', io: 'input' });
  return { tune: { $schema, title: 'dyno tune --json and tune.json (llmdyno.tune/1)', ...rest } };
}
