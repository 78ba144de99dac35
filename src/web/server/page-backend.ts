import type { Lang, Sweep } from '../../core/index.ts';
import type { Comparison } from '../../results/measure/index.ts';
import type { Figure, FrontierTables } from '../../results/report/index.ts';
import type { StartedExperiment } from '../../lab/index.ts';
import type { StoredRun, StoredSweep } from '../../results/store/index.ts';
import type { Start } from './start-words.ts';

/** Something of the store. */
export type Entry = StoredRun | StoredSweep;

/** A file to hand out. */
export interface Rendering {
  content: string | Uint8Array;
  /** Its ending: html, csv … */
  ending: string;
}

/** What became of files that were handed in. */
export interface ImportedSweeps {
  sweeps: { id: string; title: string | null; points: number }[];
  problems: { file: string; line: number; message: string; zh: string }[];
}

/** What the command line does for the page: the server is given these and starts, renders and imports nothing itself. */
export interface PageBackend {
  store: string;
  version: string;
  /** In which experiments that are begun here say what they remark. */
  lang: Lang;
  /** Every figure that the data allow; of one point of a sweep where a run is given. */
  figures(entry: Entry): Promise<readonly Figure[]>;
  compare(
    entries: readonly Entry[],
  ): Promise<{ comparison: Comparison; figures: readonly Figure[]; sweeps: readonly Sweep[] }>;
  /** Throughput for each card, watt and unit of money at fixed speeds per user. */
  frontier(entries: readonly Entry[]): Promise<FrontierTables>;
  /** Forms are the words of `dyno report --as`, or of `dyno compare --as` for several. */
  render(entries: readonly Entry[], form: string, lang: Lang): Promise<Rendering>;
  forms: { one: readonly string[]; several: readonly string[] };
  /** Imports every file of a folder into the store. */
  keep(folder: string): Promise<ImportedSweeps>;
  /** Begins an experiment in a process of its own, with the store of this page. */
  begin(start: Start): StartedExperiment;
}
