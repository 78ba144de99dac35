import { mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { invariant, keptPlan, summaryDocument } from '../../core/index.ts';
import type { Ended, RunPlan, Summary } from '../../core/index.ts';
import { withRoof } from '../measure/index.ts';
import { answerBytes, exchangeBytes } from './exchange-line.ts';
import { lockFolder } from './folder-lock.ts';
import type { FolderLock } from './folder-lock.ts';
import { hostFacts } from './host-facts.ts';
import { exists, writeJsonFile } from './json-file.ts';
import { openLineWriter } from './line-writer.ts';
import type { LineWriter } from './line-writer.ts';
import { newRunId } from './run-id.ts';
import { storeModes } from './store-modes.ts';
import { runRecordSchema, summarySchema } from './schema/index.ts';
import type { RunRecord } from './schema/index.ts';
import { systemCode, telling } from './store-error.ts';

/** What the caller knows of a run that is about to begin. */
export interface NewRun {
  plan: RunPlan;
  /** ISO 8601 wall time. */
  startedAt: string;
  simulated: boolean;
  monotonicOriginNs: string | null;
  /** Version of llmdyno. */
  llmdyno: string;
  /** argv without secrets. */
  command: readonly string[] | null;
  sweepId?: string | null;
}

/** A run folder that is being written. */
export interface RunWriter {
  readonly runId: string;
  /** Absolute path of the folder. */
  readonly dir: string;
  readonly record: RunRecord;
  /** Keeps one exchange, and the text of its answer where the plan says so. Throws what an earlier write met. null = done; a promise = wait before you append more. */
  append(ended: Ended): Promise<void> | null;
  /** Resolves when every exchange appended so far has been written. */
  written(): Promise<void>;
  /** Keeps one line of telemetry; the file is made with the first. A failure is told by finish. */
  observe(line: string): void;
  /** Writes what is left, then the summary; after this the run counts as finished. */
  finish(summary: Summary): Promise<void>;
  /** Writes what is left and closes without a summary: the folder stays readable as an unfinished run. */
  abort(): Promise<void>;
  /** Lets others write into the folder; called once everything is over, however it ended. */
  release(): Promise<void>;
}

/**
 * Makes the folder, holds it for this process and writes plan.json; only after that may the first byte be sent. `id` = a name that
 * was given before (`newRunId`); left out = a fresh one.
 */
export async function createRun(store: string, run: NewRun, id?: string): Promise<RunWriter> {
  const { runId, dir } = await makeFolder(store, run.startedAt, run.plan.label, id);
  const lock = await lockFolder(dir);
  const record: RunRecord = runRecordSchema.parse({
    schema: 'llmdyno.run/1',
    runId,
    kind: 'run',
    startedAt: run.startedAt,
    monotonicOriginNs: run.monotonicOriginNs,
    simulated: run.simulated,
    llmdyno: run.llmdyno,
    node: process.versions.node,
    host: hostFacts(),
    command: run.command,
    sweepId: run.sweepId ?? null,
    plan: keptPlan(run.plan),
  });
  await writeJsonFile(join(dir, 'plan.json'), record);
  return openWriter(dir, record, 'ax', lock);
}

/** The writer of a folder whose plan.json stands and that this process holds; `a` goes on with files that are there already. */
export async function openWriter(
  dir: string,
  record: RunRecord,
  flags: 'ax' | 'a',
  lock: FolderLock,
): Promise<RunWriter> {
  const { runId } = record;
  const exchanges = await openLineWriter(join(dir, 'exchanges.ndjson'), flags);
  const answers = record.plan.keepText ? await openLineWriter(join(dir, 'answers.ndjson'), flags) : null;
  let closing: Promise<void> | null = null;
  let telemetry: Promise<LineWriter> | null = null;
  let observing: Promise<void> = Promise.resolve();
  const closeTelemetry = async (): Promise<void> => {
    await observing;
    await (await telemetry)?.close();
  };
  const close = (): Promise<void> =>
    (closing ??= closeAll([exchanges, { close: closeTelemetry }, ...(answers === null ? [] : [answers])]));
  return {
    runId,
    dir,
    record,
    append({ exchange, answer }) {
      invariant(closing === null, 'nothing is appended to a closed run');
      const text = answers !== null && answer !== null ? answers.append(answerBytes(answer)) : null;
      const line = exchanges.append(exchangeBytes(exchange));
      return text !== null && line !== null ? text.then(() => line) : (text ?? line);
    },
    async written() {
      if (closing === null) await Promise.all([exchanges.written(), answers?.written()]);
      else await closing;
    },
    observe(line) {
      if (closing !== null) return;
      telemetry ??= openLineWriter(join(dir, 'telemetry.ndjson'), flags);
      const file = telemetry;
      const keep = async (): Promise<void> => {
        await observing;
        await (await file).append(line);
      };
      observing = keep().catch(() => {});
    },
    async finish(summary) {
      await close();
      const checked = summarySchema.safeParse(summary);
      invariant(checked.success, `a summary fits its schema: ${checked.error?.message ?? ''}`);
      await writeJsonFile(join(dir, 'summary.json'), withRoof(summaryDocument(summary)));
    },
    abort: close,
    release: () => lock.release(),
  };
}

async function closeAll(files: readonly { close(): Promise<void> }[]): Promise<void> {
  const ends = await Promise.allSettled(files.map((file) => file.close()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** A new folder directly in the store, named by `id` or by a fresh one. */
export async function makeFolder(
  store: string,
  startedAt: string,
  label: string | null,
  id?: string,
): Promise<{ runId: string; dir: string }> {
  await telling(store, () => makeDirectories(resolve(store)));
  for (let tries = 0; ; tries++) {
    const runId = id ?? newRunId(startedAt, label);
    const dir = join(resolve(store), runId);
    try {
      await mkdir(dir, { mode: storeModes().folder });
      return { runId, dir };
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || id !== undefined || tries > 20)
        await telling(dir, () => Promise.reject(error as Error));
    }
  }
}

/** Node's own recursive mkdir never returns where a file system refuses new folders with ENOENT (/proc does). */
export async function makeDirectories(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: storeModes().folder });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST' && (await stat(dir)).isDirectory()) return;
    if (code !== 'ENOENT' || (await exists(dirname(dir)))) throw error;
    await makeDirectories(dirname(dir));
    await makeDirectories(dir);
  }
}
