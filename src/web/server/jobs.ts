import type { JobState } from '../api/shapes.ts';
import type { Catalogue } from './catalogue.ts';
import type { Desk, Job } from './desk.ts';

/** The commands that were started from the page since it was opened. */
export interface Jobs {
  begin(words: readonly string[]): Promise<string>;
  state(job: string): Promise<JobState | null>;
  running(): number;
}

interface Kept {
  words: readonly string[];
  job: Job;
  id: string | null;
  /** What the store held before it began. */
  before: ReadonlySet<string>;
}

const mostKept = 50;

/** A run is found in the store by being new there and having been started by the same words. */
export function makeJobs(desk: Desk, catalogue: Catalogue): Jobs {
  const jobs = new Map<string, Kept>();
  let next = 1;
  const find = async (kept: Kept): Promise<string | null> => {
    const taken = new Set([...jobs.values()].map(({ id }) => id));
    for (const { id } of await catalogue.rows()) {
      if (kept.before.has(id) || taken.has(id)) continue;
      const entry = await catalogue.entry(id);
      const command = entry?.record.command ?? null;
      if (command === null || sameWords(command.slice(1), kept.words)) return id;
    }
    return null;
  };
  return {
    async begin(words) {
      const before = new Set((await catalogue.rows()).map(({ id }) => id));
      const name = String(next++);
      jobs.set(name, { words, job: desk.begin(words), id: null, before });
      const [oldest] = jobs.keys();
      if (jobs.size > mostKept && oldest !== undefined) jobs.delete(oldest);
      return name;
    },
    async state(name) {
      const kept = jobs.get(name);
      if (kept === undefined) return null;
      kept.id ??= await find(kept);
      const { words, job, id } = kept;
      return { job: name, words: ['dyno', ...words], id, exitCode: job.exitCode(), said: job.said() };
    },
    running: () => [...jobs.values()].filter(({ job }) => job.exitCode() === null).length,
  };
}

/** The flags that say where and how to keep it stand behind the words of the user. */
function sameWords(shown: readonly string[], words: readonly string[]): boolean {
  return words.every((word, i) => shown[i] === word);
}
