import type { Summary, Sweep } from '../../core/index.ts';
import { summarySchema, sweepSchema } from '../../results/store/index.ts';
import { z } from './shape.ts';

const maybe = z.number().nullable();
const phrase = z.object({ en: z.string(), zh: z.string() });

/** How trustworthy a result is, in one word; none = it has no verdict yet. */
const verdictWord = z.enum(['valid', 'warn', 'invalid', 'none']);

/** One row of the list of runs. */
export const rowShape = z.object({
  id: z.string(),
  kind: z.enum(['run', 'sweep', 'tune', 'broken']),
  label: z.string().nullable(),
  tags: z.array(z.string()),
  finished: z.boolean(),
  /** Being measured at this moment. */
  live: z.boolean(),
  startedAt: z.string().nullable(),
  model: z.string().nullable(),
  /** Engine or wire, as far as it is known: an imported tool's name, or the wire spoken. */
  engine: z.string().nullable(),
  card: z.string().nullable(),
  /** llmdyno, or the tool whose file was imported. */
  tool: z.string(),
  simulated: z.boolean(),
  /** The load was real, the engine that answered was `dyno engine`. */
  simulatedEngine: z.boolean(),
  verdict: verdictWord,
  points: z.number(),
  /** Loads of the points, and the output throughput at each. */
  spark: z.object({ load: z.array(maybe), isRate: z.boolean(), outputTokensPerSec: z.array(maybe) }),
  requestsPerSec: maybe,
  outputTokensPerSec: maybe,
  ttftP50Ms: maybe,
  latencyMeanMs: maybe,
  failed: maybe,
  planned: maybe,
  /** What is wrong with a folder that cannot be read. */
  why: phrase.nullable(),
});

/** The list of runs, newest first. */
export const listShape = z.object({ store: z.string(), rows: z.array(rowShape) });

/** One run or sweep: its summaries, plan and state. */
export const entryShape = z.object({
  row: rowShape,
  what: z.union([summarySchema, sweepSchema]).nullable(),
  /** plan.json of a run, sweep.json of a sweep; shown as it is. */
  record: z.record(z.string(), z.unknown()),
  /** The runs behind the points whose requests are kept, by run id. */
  runs: z.array(z.string()),
  command: z.array(z.string()).nullable(),
  forms: z.array(z.string()),
});

/** Why something was refused. */
export const refusalShape = z.object({
  mistakes: z.array(
    z.object({ code: z.string(), message: phrase, hint: phrase, place: z.record(z.string(), z.unknown()).optional() }),
  ),
});

/** What a form may start. */
const commandWord = z.enum(['find', 'run', 'sweep', 'sim']);

/** One setting that a form may offer: the words of the command line. */
export const wordShape = z.object({
  name: z.string(),
  /** null = a switch. */
  value: z.string().nullable(),
  repeat: z.enum(['repeat', 'comma']).nullable(),
  help: phrase,
  /** Values worth offering; others may be typed. */
  choices: z.array(z.string()),
  commands: z.array(commandWord),
});

/** What a form may ask for. */
export const wordsShape = z.object({
  words: z.array(wordShape),
  profiles: z.array(z.object({ name: z.string(), title: z.string() })),
  /** Patterns of the targets that runs may be started against; null = any. */
  allowed: z.array(z.string()).nullable(),
  /** false = no run may be started from here. */
  mayStart: z.boolean(),
});

/** A run to start. */
export const askShape = z.object({
  command: commandWord,
  url: z.string().max(2000).nullable(),
  words: z.record(
    z.string().max(60),
    z.union([z.string().max(2000), z.array(z.string().max(2000)).max(50), z.boolean()]),
  ),
});

/** A command that was started from the page. */
export const jobShape = z.object({
  job: z.string(),
  words: z.array(z.string()),
  /** Its run or sweep in the store; null = not there yet. */
  id: z.string().nullable(),
  exitCode: z.number().nullable(),
  said: z.string(),
});

const positive = z.number().positive().max(1e9).nullable();

/** The machine behind a result, as a user says it. */
export const machineShape = z.object({ cards: positive, price: positive, power: positive });

/** What one card, watt or unit of money gives. */
export const frontierShape = z.object({
  tables: z.array(z.object({ title: phrase, head: z.array(phrase), rows: z.array(z.array(z.string())) })),
  notes: z.array(phrase),
  machines: z.array(machineShape.extend({ id: z.string() })),
});

/** Files that were imported. */
export const keptShape = z.object({
  sweeps: z.array(z.object({ id: z.string(), title: z.string().nullable(), points: z.number() })),
  problems: z.array(z.object({ file: z.string(), line: z.number(), message: phrase })),
});

export type Row = z.infer<typeof rowShape>;
export type RunList = z.infer<typeof listShape>;
/** Summaries as core has them: the schema's are the same but for what may be written to. */
export type EntryPage = Omit<z.infer<typeof entryShape>, 'what'> & { what: Summary | Sweep | null };
export type Refusal = z.infer<typeof refusalShape>;
export type FormWord = z.infer<typeof wordShape>;
export type FormWords = z.infer<typeof wordsShape>;
export type StartAsk = z.infer<typeof askShape>;
export type JobState = z.infer<typeof jobShape>;
export type FrontierPage = z.infer<typeof frontierShape>;
export type KeptFiles = z.infer<typeof keptShape>;
