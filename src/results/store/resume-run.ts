import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isBehind } from '../../core/index.ts';
import type { Exchange, ResumePoint } from '../../core/index.ts';
import { encodeExchange } from './exchange-line.ts';
import { lockFolder } from './folder-lock.ts';
import type { FolderLock } from './folder-lock.ts';
import { writeJsonFile } from './json-file.ts';
import { openLineWriter } from './line-writer.ts';
import type { LineWriter } from './line-writer.ts';
import { readAnswers, readExchanges } from './run-reader.ts';
import { openWriter } from './run-writer.ts';
import type { RunWriter } from './run-writer.ts';
import type { RunRecord } from './schema/index.ts';
import type { StoredRun } from './stored-entry.ts';
import { telling } from './store-error.ts';

/** What an interrupted run has done, and what it needs to go on. */
export interface Unfinished {
  /** Holds its folder for this process. */
  lock: FolderLock;
  behind: ResumePoint;
  /** Its records are turns of conversations, whose middle cannot be taken up again. */
  conversations: boolean;
}

/** Whether a record stands: what was cancelled or never sent is asked again. */
function stands({ outcome }: Exchange): boolean {
  return outcome !== 'cancelled';
}

/** Holds the folder of an interrupted run and reads what was done; a line cut off by a kill counts as not done. */
export async function takeUp(run: Pick<StoredRun, 'dir'>): Promise<Unfinished> {
  const lock = await lockFolder(run.dir);
  try {
    return { lock, ...(await readDone(run)) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function readDone(run: Pick<StoredRun, 'dir'>): Promise<Omit<Unfinished, 'lock'>> {
  let done = new Uint8Array(1024);
  let doneCount = 0;
  let clockMs = 0;
  let begunMs = Infinity;
  let lastDueMs = -Infinity;
  let conversations = false;
  for await (const exchange of readExchanges(run)) {
    clockMs = Math.max(clockMs, exchange.endMs);
    if (exchange.warmup || !stands(exchange)) continue;
    const { seq } = exchange;
    while (seq >= done.length * 8) {
      const wider = new Uint8Array(done.length * 2);
      wider.set(done);
      done = wider;
    }
    done[seq >> 3]! |= 1 << (seq & 7);
    doneCount++;
    begunMs = Math.min(begunMs, exchange.dueMs);
    lastDueMs = Math.max(lastDueMs, exchange.dueMs);
    conversations ||= exchange.labels['turn'] !== undefined;
  }
  // Draining took time in which nothing came due: the schedule does not jump over it.
  const elapsedMs = doneCount === 0 ? 0 : lastDueMs - begunMs;
  return { behind: { clockMs, elapsedMs, done, doneCount }, conversations };
}

/**
 * Opens an interrupted run to go on: records that do not stand and a line cut off at the end are left out, the summary of
 * the first part is taken away, and plan.json tells of the break before the first byte is sent again; `now` is null where
 * there was none, because others went on.
 */
export async function resumeRun(
  run: StoredRun,
  { behind, lock }: Pick<Unfinished, 'behind' | 'lock'>,
  now: { at: string; monotonicOriginNs: string | null } | null,
): Promise<RunWriter> {
  const { clockMs, doneCount } = behind;
  const record = now === null ? run.record : withBreak(run.record, clockMs, now);
  await replaceLines(run.dir, 'exchanges.ndjson', async (append) => {
    for await (const exchange of readExchanges(run)) {
      // A warm-up that nothing measured followed is made again.
      if (!stands(exchange) || (exchange.warmup && doneCount === 0)) continue;
      await append(encodeExchange(exchange));
    }
  });
  if (record.plan.keepText) {
    await replaceLines(run.dir, 'answers.ndjson', async (append) => {
      for await (const answer of readAnswers(run)) {
        const keeps = answer.seq < 0 ? doneCount > 0 : isBehind(behind, answer.seq);
        if (keeps) await append(JSON.stringify(answer));
      }
    });
  }
  await telling(run.dir, () => rm(join(run.dir, 'summary.json'), { force: true }));
  await writeJsonFile(join(run.dir, 'plan.json'), record);
  return openWriter(run.dir, record, 'a', lock);
}

function withBreak(
  record: RunRecord,
  clockMs: number,
  now: { at: string; monotonicOriginNs: string | null },
): RunRecord {
  const before = record.resumed?.at(-1) ?? { at: record.startedAt, atMs: 0 };
  const lastMs = Date.parse(before.at) + (clockMs - before.atMs);
  const gapMs = Math.max(0, Math.round(Date.parse(now.at) - lastMs));
  return {
    ...record,
    resumed: [...(record.resumed ?? []), { ...now, atMs: clockMs, gapMs }],
  };
}

/** Writes a file of lines anew; the new one takes the old one's place at once. */
async function replaceLines(
  dir: string,
  name: string,
  write: (append: LineWriter['append']) => Promise<void>,
): Promise<void> {
  const fresh = join(dir, `${name}.new`);
  await rm(fresh, { force: true });
  const writer = await openLineWriter(fresh);
  await write((line) => writer.append(line));
  await writer.close();
  await telling(dir, () => rename(fresh, join(dir, name)));
}
