import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunState, StopSignals } from '../core/index.ts';
import { storeModes } from '../results/store/index.ts';

/** A run as it stands now, for whoever watches its folder. */
export interface Watched {
  dir: string;
  state(): RunState;
  warmup(): boolean;
}

/** The ways to ask for its end: send no more and wait for what is in flight, or cancel that too. Each is the name of a file. */
export const stopKinds = ['stop', 'cancel'] as const;
export type StopKind = (typeof stopKinds)[number];

function stoppingOf({ drain, cancel }: StopSignals): StopKind | null {
  return cancel.aborted ? 'cancel' : drain.aborted ? 'stop' : null;
}

/** What an experiment tells whoever watches its folders, from its first point to its end. */
export interface LiveFile {
  /** The point under way; null = none, between two of them. */
  follow(run: Watched | null): Promise<void>;
  end(): Promise<void>;
}

const everyMs = 1000;
/** The longest pause between two writes. A write to a slow disk is followed by a pause a thousand times as long, up to this. */
const mostMs = 5000;
const pauseRatio = 1000;
/** Each text is written over the last one in a single write, padded so that it is never shorter. */
const leastBytes = 512;

/**
 * Once a second: writes counts of the run under way into live.json of its folder, and looks for files named `stop` and `cancel` there
 * or in the experiment's folder, which ask for the same as one and two Ctrl-C. All of them go when the run ends; a watcher that cannot
 * write or read here never disturbs the run. The main thread writes it itself and at once, because handing it to another thread makes stamps late by a
 * millisecond in every second where there is one core.
 */
export function openLiveFile(dir: string, stops: StopSignals, stop: (how: StopKind) => void): LiveFile {
  let run: Watched | null = null;
  let fd: number | null = null;
  let bytes = leastBytes;
  const asked = new Set<StopKind>();
  const tell = (): void => {
    if (run !== null) {
      const said = {
        schema: 'llmdyno.live/1',
        saidAt: new Date().toISOString(),
        state: { ...run.state(), warmup: run.warmup(), stopping: stoppingOf(stops) },
      };
      const text = JSON.stringify(said).padEnd(bytes);
      bytes = text.length;
      try {
        fd ??= openSync(join(run.dir, 'live.json'), 'w', storeModes().file);
        writeSync(fd, text, 0);
      } catch {
        // Nobody can watch then.
      }
    }
    for (const how of stopKinds) {
      if (asked.has(how) || ![dir, run?.dir ?? dir].some((folder) => existsSync(join(folder, how)))) continue;
      asked.add(how);
      stop(how);
    }
  };
  let timer: NodeJS.Timeout | null = null;
  const tellOn = (): void => {
    const fromMs = performance.now();
    tell();
    const pauseMs = pauseRatio * (performance.now() - fromMs);
    timer = setTimeout(tellOn, Math.min(mostMs, Math.max(everyMs, pauseMs)));
    timer.unref();
  };
  const leave = async (): Promise<void> => {
    if (run === null) return;
    try {
      if (fd !== null) closeSync(fd);
    } catch {
      // A full or remote disk may report its error only now; the file is removed anyway.
    }
    for (const name of ['live.json', ...stopKinds]) await rm(join(run.dir, name), { force: true }).catch(() => {});
    run = null;
    fd = null;
  };
  return {
    async follow(next) {
      await leave();
      clearTimeout(timer ?? undefined);
      run = next;
      tellOn();
    },
    async end() {
      await leave();
      clearTimeout(timer ?? undefined);
      for (const name of stopKinds) await rm(join(dir, name), { force: true }).catch(() => {});
    },
  };
}
