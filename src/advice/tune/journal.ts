import { isObject, jsonIn } from '../../core/index.ts';
import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { storeModes, syncFile } from '../../results/store/index.ts';
import type { ProcessIdentity } from '../../results/store/index.ts';
import type { StopReason } from './next-step.ts';
import type { Trial } from './trial.ts';

/** What a tune writes down before or after it does it, one line each, on disk before it goes on. */
export type JournalEvent =
  | { kind: 'begin'; owner: ProcessIdentity; file: string; sha256: string }
  /** The original bytes of `file` lie in `saved` beside the journal. */
  | { kind: 'saved'; file: string; saved: string; mode: number; sha256: string }
  | { kind: 'editing'; file: string; sha256: string }
  | { kind: 'restored'; file: string }
  | { kind: 'starting'; how: string; stop: string | null }
  | { kind: 'started'; server: ProcessIdentity; stop: string | null }
  | { kind: 'stopped'; server: ProcessIdentity | null }
  | { kind: 'health'; message: string }
  | { kind: 'trial'; trial: Trial }
  | { kind: 'paused' }
  | { kind: 'resumed'; owner: ProcessIdentity }
  | { kind: 'end'; because: StopReason };

/** An event with its time. */
export type JournalLine = JournalEvent & { at: string };

/** A journal that is on disk before `write` comes back. */
export interface Journal {
  write(event: JournalEvent): Promise<void>;
  close(): Promise<void>;
}

/** Opens a journal for appending. */
export async function openJournal(file: string): Promise<Journal> {
  const handle: FileHandle = await open(file, 'a', storeModes().file);
  return {
    async write(event) {
      const line: JournalLine = { at: new Date().toISOString(), ...event };
      await handle.appendFile(`${JSON.stringify(line)}\n`);
      await syncFile(handle);
    },
    close: () => handle.close(),
  };
}

/** The events of a journal; a last line that was cut short by a crash is left out. Empty where there is none. */
export async function readJournal(file: string): Promise<JournalLine[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line): JournalLine[] => {
    const value = jsonIn(line);
    return isObject(value) && 'kind' in value ? [value as unknown as JournalLine] : [];
  });
}
