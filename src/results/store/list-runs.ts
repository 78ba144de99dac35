import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { isSimulatedEngine, UserError } from '../../core/index.ts';
import { labelOf } from './find-entry.ts';
import { entriesIn, readEntry } from './stored-entry.ts';
import type { BrokenEntry, StoredEntry, StoredRun, StoredSweep } from './stored-entry.ts';
import { tunesIn } from './stored-tune.ts';
import type { StoredTune } from './stored-tune.ts';
import { readTags } from './read-tags.ts';

/** What of a result is not real: all of it, or the engine that was measured. */
export type Simulation = 'run' | 'engine';

/** One line of a listing. `finished` is false for a run without summary.json and a sweep or search that was not ended. */
export type ListedEntry =
  | ((StoredRun | StoredSweep | StoredTune) & {
      tags: string[];
      finished: boolean;
      label: string | null;
      /** The run itself was simulated, or the engine behind it; null = neither is known of it. */
      simulation: Simulation | null;
    })
  | BrokenEntry;

/** Which entries to list; whatever is left out does not matter. */
export interface ListFilter {
  kind?: 'run' | 'sweep' | 'tune' | 'broken';
  /** Runs inside sweeps and searches too, after what they belong to. */
  inside?: boolean;
  tag?: string;
  /** Part of the label or title, in any case. */
  label?: string;
  model?: string;
}

/** What the store holds, oldest first; damaged folders are listed with what is wrong with them. */
export async function listRuns(store: string, filter: ListFilter = {}): Promise<ListedEntry[]> {
  const listed: ListedEntry[] = [];
  const entries = [...(await entriesIn(store)), ...(await tunesIn(store))];
  for (const entry of entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    listed.push(await describe(entry));
    if ((entry.kind !== 'sweep' && entry.kind !== 'tune') || filter.inside !== true) continue;
    for (const inside of await entriesIn(entry.dir)) listed.push(await describe(inside));
  }
  return listed.filter((entry) => passes(entry, filter));
}

async function describe(entry: StoredEntry | StoredTune): Promise<ListedEntry> {
  if (entry.kind === 'broken') return entry;
  let tags: string[] = [];
  try {
    tags = await readTags(entry.dir);
  } catch (error) {
    // Unreadable tags do not make a run unreadable.
    if (!(error instanceof UserError)) throw error;
  }
  if (entry.kind === 'tune') {
    const simulation = entry.record.simulated === true ? ('run' as const) : null;
    return { ...entry, tags, finished: !entry.record.running, label: entry.record.name, simulation };
  }
  const finished = entry.kind === 'sweep' ? entry.record.finished : await exists(join(entry.dir, 'summary.json'));
  return { ...entry, tags, finished, label: labelOf(entry), simulation: await simulationOf(entry) };
}

/** A sweep is what its first point is. */
async function simulationOf(entry: StoredRun | StoredSweep): Promise<Simulation | null> {
  if (entry.kind === 'sweep') {
    const id = entry.record.points[0];
    const first = id === undefined ? null : await readEntry(join(entry.dir, id), id).catch(() => null);
    return first?.kind === 'run' ? simulationOf(first) : null;
  }
  const { simulated, plan } = entry.record;
  if (simulated) return 'run';
  const server = plan.target.server ?? null;
  return server !== null && isSimulatedEngine(server) ? 'engine' : null;
}

function passes(entry: ListedEntry, filter: ListFilter): boolean {
  if (filter.kind !== undefined && entry.kind !== filter.kind) return false;
  if (entry.kind === 'broken')
    return filter.tag === undefined && filter.label === undefined && filter.model === undefined;
  if (filter.tag !== undefined && !entry.tags.includes(filter.tag)) return false;
  if (filter.label !== undefined && !(entry.label ?? '').toLowerCase().includes(filter.label.toLowerCase()))
    return false;
  return filter.model === undefined || (entry.kind === 'run' && entry.record.plan.target.model === filter.model);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
