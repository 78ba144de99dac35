import { join } from 'node:path';
import { isSimulatedEngine, UserError } from '../../core/index.ts';
import { labelOf } from './find-entry.ts';
import { exists } from './json-file.ts';
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
      /** The models that were asked, each once. */
      models: readonly string[];
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
  /** Part of a model's name, in any case. */
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
    return { ...entry, tags, finished: !entry.record.running, label: entry.record.name, models: [], simulation };
  }
  const finished = entry.kind === 'sweep' ? entry.record.finished : await exists(join(entry.dir, 'summary.json'));
  const [models, simulation] = [await modelsOf(entry), await simulationOf(entry)];
  return { ...entry, tags, finished, label: labelOf(entry), models, simulation };
}

/** An import holds its points; a sweep of ours has the model of its first one. What was said of it later counts before both. */
async function modelsOf(entry: StoredRun | StoredSweep): Promise<string[]> {
  const said = entry.facts?.own.model;
  if (said !== undefined) return [said];
  if (entry.kind === 'run') return [entry.record.plan.target.model];
  if (entry.record.summaries !== undefined)
    return [...new Set(entry.record.summaries.flatMap(({ model }) => (model === null ? [] : [model])))];
  const first = await firstOf(entry);
  return first === null ? [] : modelsOf(first);
}

async function firstOf({ record, dir }: StoredSweep): Promise<StoredRun | null> {
  const [id] = record.points;
  const first = id === undefined ? null : await readEntry(join(dir, id), id).catch(() => null);
  return first?.kind === 'run' ? first : null;
}

/** A sweep is what its first point is. */
async function simulationOf(entry: StoredRun | StoredSweep): Promise<Simulation | null> {
  if (entry.kind === 'sweep') {
    const first = await firstOf(entry);
    return first === null ? null : simulationOf(first);
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
  if (filter.label !== undefined && !holds(entry.label ?? '', filter.label)) return false;
  return filter.model === undefined || entry.models.some((model) => holds(model, filter.model!));
}

function holds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
