import { access, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunState } from '../core/index.ts';
import type { RunWriter } from '../store/index.ts';
import type { Interrupts } from './interrupts.ts';

/** What a run tells whoever watches its folder, until it ends. */
export interface LiveTelling {
  warmup: boolean;
  end(): Promise<void>;
}

const everyMs = 1000;
/** A telling is written over the last one, in one go and no shorter: a new file each time makes stamps late by a millisecond. */
const leastBytes = 512;

/**
 * Once a second: writes counts of the run into live.json of its folder, and looks for a file named `stop` there (or in
 * the folder of its sweep), which asks for the same as Ctrl-C. Both files go when the run ends; a watcher that cannot
 * write or read here never disturbs the run.
 */
export function tellLive(
  { dir, record }: Pick<RunWriter, 'dir' | 'record'>,
  state: () => RunState,
  interrupts: Pick<Interrupts, 'stop'>,
): LiveTelling {
  const file = join(dir, 'live.json');
  const stops = [join(dir, 'stop'), ...(record.sweepId === null ? [] : [join(dirname(dir), 'stop')])];
  const telling: LiveTelling = { warmup: record.plan.warmup !== null, end: () => end() };
  let handle: FileHandle | null = null;
  let bytes = leastBytes;
  const once = async (): Promise<void> => {
    const said = {
      schema: 'llmdyno.live/1',
      saidAt: new Date().toISOString(),
      state: { ...state(), warmup: telling.warmup },
    };
    handle ??= await open(file, 'w');
    const text = JSON.stringify(said).padEnd(bytes);
    bytes = text.length;
    await handle.write(text, 0);
    for (const stop of stops) if (await isThere(stop)) interrupts.stop();
  };
  let last: Promise<void> = Promise.resolve();
  const tell = (): void => {
    last = last.then(once).catch(() => {});
  };
  const timer = setInterval(tell, everyMs);
  timer.unref();
  tell();
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await last;
    await handle?.close().catch(() => {});
    for (const gone of [file, ...stops]) await rm(gone, { force: true }).catch(() => {});
  };
  return telling;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
