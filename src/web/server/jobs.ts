import { printable, say } from '../../core/index.ts';
import type { StartedExperiment } from '../../lab/index.ts';
import type { JobState } from '../api/shapes.ts';
import type { PageBackend } from './page-backend.ts';
import type { Start } from './start-words.ts';

/** The experiments that were started from the page since it was opened. */
export interface Jobs {
  begin(start: Start): string;
  state(job: string): JobState | null;
  running(): number;
}

interface TrackedJob {
  shown: readonly string[];
  experiment: StartedExperiment;
}

const mostKept = 50;
const mostSaid = 4000;

/** Each experiment tells its own id: nothing is looked for in the store. */
export function makeJobs(desk: Pick<PageBackend, 'begin' | 'lang'>): Jobs {
  const jobs = new Map<string, TrackedJob>();
  let next = 1;
  return {
    begin(start) {
      const name = String(next++);
      jobs.set(name, { shown: start.shown, experiment: desk.begin(start) });
      const [oldest] = jobs.keys();
      if (jobs.size > mostKept && oldest !== undefined) jobs.delete(oldest);
      return name;
    },
    state(name) {
      const job = jobs.get(name);
      if (job === undefined) return null;
      const { shown, experiment } = job;
      const said = experiment.said().map((phrase) => say(phrase, desk.lang).split('\n').map(printable).join('\n'));
      return {
        job: name,
        words: ['dyno', ...shown],
        id: experiment.id(),
        exitCode: experiment.exitCode(),
        said: said.join('\n').slice(-mostSaid),
      };
    },
    running: () => [...jobs.values()].filter(({ experiment }) => experiment.exitCode() === null).length,
  };
}
