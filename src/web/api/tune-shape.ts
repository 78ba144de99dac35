import { z } from './shape.ts';

const maybe = z.number().nullable();
const settings = z.record(z.string(), z.union([z.number(), z.boolean(), z.string()]));
const load = z.object({ concurrency: maybe, ratePerSec: maybe });
const predicted = z.object({
  figures: z.record(z.string(), z.object({ middle: z.number(), low: z.number(), high: z.number() })),
});

/** The part of llmdyno.tune/1 that the page shows; keys that it does not know are left out. */
export const tuneShape = z.object({
  name: z.string().nullable().default(null),
  running: z.boolean(),
  simulated: z.boolean().default(false),
  startedAt: z.string().nullable().default(null),
  objective: z.object({ metric: z.string(), direction: z.enum(['most', 'least']) }),
  slos: z.array(z.string()).default([]),
  budget: z.object({ runs: z.number() }),
  best: z
    .object({
      settings,
      load: load.default({ concurrency: null, ratePerSec: null }),
      confirmed: z.boolean(),
      feasible: z.boolean().nullable().default(null),
      objective: z.object({ mean: maybe, interval: z.tuple([z.number(), z.number()]).nullable() }),
    })
    .nullable(),
  trials: z.array(
    z.object({
      number: z.number(),
      phase: z.string(),
      settings,
      load,
      outcome: z.string(),
      cause: z.string().nullable(),
      feasible: z.boolean().nullable(),
      objective: maybe,
      figures: z.record(z.string(), maybe),
      predicted: predicted.nullable(),
      runId: z.string().nullable(),
      durationMs: maybe,
    }),
  ),
  patch: z
    .object({
      files: z.array(z.object({ file: z.string(), set: settings })),
      command: z.string().nullable(),
      env: z.record(z.string(), z.string()),
    })
    .default({ files: [], command: null, env: {} }),
  variants: z
    .array(
      z.object({
        name: z.string(),
        mean: maybe,
        changeRatio: maybe,
        changeInterval: z.tuple([z.number(), z.number()]).nullable(),
        verdict: z.string(),
      }),
    )
    .default([]),
  words: z.object({ en: z.string(), zh: z.string() }),
});

/** A search as the page shows it. */
export const tunePageShape = z.object({ tune: tuneShape, paused: z.boolean() });
export type TunePageData = z.infer<typeof tunePageShape>;
