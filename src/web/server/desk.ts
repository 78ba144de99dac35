import type { Lang, Sweep } from '../../core/index.ts';
import type { Comparison } from '../../measure/index.ts';
import type { Figure } from '../../report/index.ts';
import type { StoredRun, StoredSweep } from '../../store/index.ts';

/** Something of the store. */
export type Entry = StoredRun | StoredSweep;

/** A file to hand out. */
export interface Rendering {
  content: string | Uint8Array;
  /** Its ending: html, csv … */
  ending: string;
}

/** What became of files that were handed in. */
export interface Kept {
  sweeps: { id: string; title: string | null; points: number }[];
  problems: { file: string; line: number; message: string; zh: string }[];
}

/** A command that was started in a process of its own. */
export interface Job {
  /** What it said on its error output so far, the last part of it. */
  said(): string;
  /** Its exit code; null = still running. */
  exitCode(): number | null;
}

/** What the command line does for the page: the server is given these and starts, renders and imports nothing itself. */
export interface Desk {
  store: string;
  version: string;
  /** Every figure that the data allow; of one point of a sweep where a run is given. */
  figures(entry: Entry): Promise<readonly Figure[]>;
  compare(
    entries: readonly Entry[],
  ): Promise<{ comparison: Comparison; figures: readonly Figure[]; sweeps: readonly Sweep[] }>;
  /** Forms are the words of `dyno report --as`, or of `dyno compare --as` for several. */
  render(entries: readonly Entry[], form: string, lang: Lang): Promise<Rendering>;
  forms: { one: readonly string[]; several: readonly string[] };
  /** Imports every file of a folder into the store. */
  keep(folder: string): Promise<Kept>;
  /** Starts `dyno` with these words and the store of this page. */
  begin(words: readonly string[]): Job;
}
