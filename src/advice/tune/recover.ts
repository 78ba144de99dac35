import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeJsonFile } from '../../results/store/index.ts';
import { replaceFile, sha256 } from './config-file.ts';
import { openJournal, readJournal } from './journal.ts';
import type { JournalLine } from './journal.ts';
import { isSameProcess } from '../../results/store/index.ts';
import type { ProcessIdentity } from '../../results/store/index.ts';
import { endProcess } from './server.ts';

/** What a tune that was killed left behind, and what was done about it. */
export interface Recovery {
  tuneId: string;
  dir: string;
  /** Configs that are as they were before the tune again. */
  restored: string[];
  /** Configs that somebody changed after the tune was killed: left as they are; the original lies in `saved`. */
  changed: { file: string; saved: string }[];
  /** Servers of that tune that were still there and were ended. */
  ended: number[];
  /** The tune file it was started with. */
  file: string | null;
}

/** Folders of tunes that did not end by themselves and whose owner is gone; `alive` ones are somebody's at this moment. */
export async function unfinishedTunes(store: string): Promise<{ dir: string; lines: JournalLine[]; alive: boolean }[]> {
  const names = await readdir(store).catch(() => [] as string[]);
  const found: { dir: string; lines: JournalLine[]; alive: boolean }[] = [];
  for (const name of names.toSorted()) {
    const dir = join(store, name);
    const lines = await readJournal(join(dir, 'journal.ndjson'));
    if (lines.length === 0 || (isSettled(lines) && hasEnded(lines))) continue;
    const owner = lines.findLast((line) => line.kind === 'begin' || line.kind === 'resumed')?.owner ?? null;
    found.push({ dir, lines, alive: owner !== null && owner.pid !== process.pid && (await isSameProcess(owner)) });
  }
  return found;
}

/** The last time it was started it came to its end. */
function hasEnded(lines: readonly JournalLine[]): boolean {
  const begun = lines.findLastIndex((line) => line.kind === 'begin' || line.kind === 'resumed');
  return lines.some((line, i) => i > begun && line.kind === 'end');
}

/** Nothing is left to put back: every edit was restored and every server stopped. */
function isSettled(lines: readonly JournalLine[]): boolean {
  return editedFiles(lines).length === 0 && runningServer(lines) === null;
}

function editedFiles(lines: readonly JournalLine[]): string[] {
  const edited = new Set<string>();
  for (const line of lines) {
    if (line.kind === 'editing') edited.add(line.file);
    if (line.kind === 'restored') edited.delete(line.file);
  }
  return [...edited];
}

function runningServer(lines: readonly JournalLine[]): { server: ProcessIdentity | null; stop: string | null } | null {
  let running: { server: ProcessIdentity | null; stop: string | null } | null = null;
  for (const line of lines) {
    if (line.kind === 'starting') running = { server: null, stop: line.stop };
    if (line.kind === 'started') running = { server: line.server, stop: line.stop };
    if (line.kind === 'stopped') running = null;
  }
  return running;
}

/** Puts back what a killed tune changed: configs first, then the server that it had started, if that very process is still there. */
export async function recover({ dir, lines }: { dir: string; lines: readonly JournalLine[] }): Promise<Recovery> {
  const journal = await openJournal(join(dir, 'journal.ndjson'));
  const recovery: Recovery = {
    tuneId: basename(dir),
    dir,
    restored: [],
    changed: [],
    ended: [],
    file: lines.find((line) => line.kind === 'begin')?.file ?? null,
  };
  try {
    const running = runningServer(lines);
    if (running !== null) {
      if (running.server !== null && (await isSameProcess(running.server))) {
        await endProcess(running.server, 10_000);
        recovery.ended.push(running.server.pid);
      }
      if (running.stop !== null) await shell(running.stop);
      await journal.write({ kind: 'stopped', server: running.server });
    }
    for (const file of editedFiles(lines)) await restore(file, dir, lines, recovery, journal.write);
    if (!hasEnded(lines)) {
      await journal.write({ kind: 'end', because: 'interrupted' });
      await noLongerRunning(dir);
    }
  } finally {
    await journal.close();
  }
  return recovery;
}

async function restore(
  file: string,
  dir: string,
  lines: readonly JournalLine[],
  recovery: Recovery,
  write: (event: { kind: 'restored'; file: string }) => Promise<void>,
): Promise<void> {
  const saved = lines.find((line) => line.kind === 'saved' && line.file === file);
  if (saved?.kind !== 'saved') return;
  const edits = lines.flatMap((line) => (line.kind === 'editing' && line.file === file ? [line.sha256] : []));
  const now = await readFile(file).catch(() => null);
  const state = now === null ? null : sha256(now);
  if (state !== null && state !== saved.sha256 && !edits.includes(state)) {
    recovery.changed.push({ file, saved: join(dir, saved.saved) });
  } else {
    const original = await readFile(join(dir, saved.saved));
    if (state !== saved.sha256) await replaceFile(file, original, saved.mode);
    recovery.restored.push(file);
  }
  await write({ kind: 'restored', file });
}

/** Whoever watches tune.json sees that nobody writes it any more. */
async function noLongerRunning(dir: string): Promise<void> {
  const file = join(dir, 'tune.json');
  try {
    const told = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeJsonFile(file, {
      ...told,
      running: false,
      stoppedBecause: 'interrupted',
      endedAt: new Date().toISOString(),
    });
  } catch {
    // It was killed before it had anything to tell.
  }
}

/** The newest tune of the same file that can go on; null = there is none. */
export async function resumable(store: string, fileSha256: string, wanted: string): Promise<string | null> {
  const names = await readdir(store).catch(() => [] as string[]);
  for (const name of names.toSorted().toReversed()) {
    if (wanted !== 'latest' && name !== wanted) continue;
    const lines = await readJournal(join(store, name, 'journal.ndjson'));
    const begun = lines.find((line) => line.kind === 'begin');
    if (begun?.kind === 'begin' && begun.sha256 === fileSha256) return join(store, name);
  }
  return null;
}

function shell(command: string): Promise<void> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { timeout: 60_000 }, () => resolve());
  });
}
