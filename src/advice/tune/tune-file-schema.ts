import { z } from './shape.ts';
import { roles } from './space.ts';

const value = z.union([z.number(), z.boolean(), z.string()]);
const text = z.string().min(1);
/** A duration is a number of seconds or text with a unit. */
const duration = z.union([z.number().positive(), z.string().regex(/^\d+(\.\d+)?\s*(ms|s|m|h)$/)]);

const range = z.strictObject({
  from: z.number(),
  to: z.number(),
  step: z.number().positive().optional(),
  start: z.number().optional(),
  scale: z.enum(['linear', 'log']).optional(),
  role: z.enum(roles).optional(),
  /** Raise until the server is out of memory, then step back by so much. */
  raise: z.strictObject({ back: z.number().min(0) }).optional(),
});
const choice = z.strictObject({
  oneOf: z.array(value).min(1),
  start: value.optional(),
  role: z.enum(roles).optional(),
});

const config = z.strictObject({
  file: text,
  /** Setting → JSON path in that file: `BackendConfig.ScheduleConfig.maxBatchSize`, `a.b[0].c`. */
  set: z.record(text, text),
  /** Paths that the file does not have yet may be made. */
  create: z.boolean().optional(),
});

/** Everything a tune file can say. */
export const tuneFileSchema = z.strictObject({
  name: text.optional(),
  engine: z.enum(['mindie', 'vllm', 'sglang', 'none']).optional(),
  url: text.optional(),
  apply: z
    .strictObject({
      config: z.array(config).optional(),
      /** Setting → environment variable of the server. */
      env: z.record(text, text).optional(),
      /** Run after the edits, before the start: settings as JSON on stdin. */
      script: text.optional(),
    })
    .optional(),
  start: z
    .strictObject({
      /** A process that stays: `{flags}` and `{NAME}` are filled in. */
      command: text.optional(),
      /** Comes back once the server is on its way; needs stop. */
      script: text.optional(),
      /** Words behind `docker run --rm --name …`. */
      docker: text.optional(),
      /** A unit: systemctl restart, systemctl stop. */
      systemd: text.optional(),
      /** The command is run there through ssh; needs stop. */
      ssh: text.optional(),
      stop: text.optional(),
      cwd: text.optional(),
      env: z.record(text, z.string()).optional(),
      stopTimeout: duration.optional(),
    })
    .optional(),
  ready: z
    .strictObject({
      url: text.optional(),
      /** A line of the server's log holds this text. */
      log: text.optional(),
      /** A log file that the server writes itself; left out = what it prints. */
      logFile: text.optional(),
      timeout: duration.optional(),
    })
    .optional(),
  evaluate: z
    .union([text, z.strictObject({ command: text, timeout: duration.optional(), cwd: text.optional() })])
    .optional(),
  space: z.record(text, z.union([range, choice, z.array(value).min(1), value])).optional(),
  require: z.array(text).optional(),
  load: z
    .strictObject({
      concurrency: z.union([z.number().int().positive(), text, range]).optional(),
      rate: z.union([z.number().positive(), text, range]).optional(),
    })
    .optional(),
  workload: z.record(text, z.unknown()).optional(),
  objective: z.union([text, z.strictObject({ most: text }), z.strictObject({ least: text })]).optional(),
  pricePerHour: z.number().positive().optional(),
  slo: z.union([text, z.array(text)]).optional(),
  budget: z
    .strictObject({ runs: z.number().int().min(1).max(1000).optional(), hours: z.number().positive().optional() })
    .optional(),
  confirm: z.number().int().min(2).max(20).optional(),
  seed: z.number().int().min(0).optional(),
  /** KV cache as the server or `dyno plan` says it. */
  kv: z
    .strictObject({
      blocks: z.number().int().positive(),
      blockSize: z.number().int().positive(),
      at: z.number().positive().optional(),
    })
    .optional(),
  /** The words of `dyno plan`: batches that the cache cannot hold are never tried. */
  plan: z
    .strictObject({
      model: text.optional(),
      card: text.optional(),
      cardMemoryGib: z.number().positive().optional(),
      cards: z.number().int().positive().exactOptional(),
      idleGib: z.number().min(0).optional(),
      weightsGib: z.number().positive().optional(),
      inputTokens: z.number().int().positive().exactOptional(),
      outputTokens: z.number().int().positive().exactOptional(),
      maxOutputTokens: z.number().int().positive().exactOptional(),
      blockSize: z.number().int().positive().exactOptional(),
    })
    .optional(),
  variants: z.record(text, z.record(text, value)).optional(),
  repeats: z.number().int().min(2).max(100).optional(),
});

/** A tune file as it was written. */
export type TuneFile = z.infer<typeof tuneFileSchema>;
export type RangeWords = z.infer<typeof range>;
