import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunState } from '../core/index.ts';
import { storeModes } from '../store/index.ts';
import type { RunWriter } from '../store/index.ts';
import type { Interrupts } from './interrupts.ts';

/** What a run tells whoever watches its folder, until it ends. */
export interface LiveTelling {
  warmup: boolean;
  end(): Promise<void>;
}

const everyMs = 1000;
/** Where telling takes long (a slow disk), it is done as much more seldom; a watcher waits for so long. */
const mostMs = 5000;
const pauseRatio = 1000;
/** A telling is written over the last one, in one go and no shorter. */
const leastBytes = 512;

/**
 * Once a second: writes counts of the run into live.json of its folder, and looks for a file named `stop` there (or in
 * the folder of its sweep), which asks for the same as Ctrl-C. Both files go when the run ends; a watcher that cannot
 * write or read here never disturbs the run. Told at once and not by way of other threads, which on one core takes ten times as long:
 * a millisecond in every second in which stamps are late.
 */
export function tellLive(
  { dir, record }: Pick<RunWriter, 'dir' | 'record'>,
  state: () => RunState,
  interrupts: Pick<Interrupts, 'stop'>,
): LiveTelling {
  const file = join(dir, 'live.json');
  const stops = [join(dir, 'stop'), ...(record.sweepId === null ? [] : [join(dirname(dir), 'stop')])];
  const telling: LiveTelling = { warmup: record.plan.warmup !== null, end: () => end() };
  let fd: number | null = null;
  let bytes = leastBytes;
  const tell = (): void => {
    const said = {
      schema: 'llmdyno.live/1',
      saidAt: new Date().toISOString(),
      state: { ...state(), warmup: telling.warmup },
    };
    const text = JSON.stringify(said).padEnd(bytes);
    bytes = text.length;
    try {
      fd ??= openSync(file, 'w', storeModes().file);
      writeSync(fd, text, 0);
    } catch {
      // Nobody can watch then.
    }
    if (stops.some((stop) => existsSync(stop))) interrupts.stop();
  };
  let timer: NodeJS.Timeout | null = null;
  const tellOn = (): void => {
    const fromMs = performance.now();
    tell();
    const pauseMs = pauseRatio * (performance.now() - fromMs);
    timer = setTimeout(tellOn, Math.min(mostMs, Math.max(everyMs, pauseMs)));
    timer.unref();
  };
  tellOn();
  const end = async (): Promise<void> => {
    clearTimeout(timer!);
    try {
      if (fd !== null) closeSync(fd);
    } catch {
      // A full or distant disk may say so only now; the file goes anyway.
    }
    for (const gone of [file, ...stops]) await rm(gone, { force: true }).catch(() => {});
  };
  return telling;
}
