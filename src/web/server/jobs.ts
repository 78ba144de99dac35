import { resolve } from 'node:path';
import { printable, say } from '../../core/index.ts';
import type { Lang } from '../../core/index.ts';
import { shownCommand, startExperiment } from '../../lab/index.ts';
import type { GivenSetting, StartedExperiment } from '../../lab/index.ts';
import type { JobState } from '../api/shapes.ts';
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

/** What every experiment that is begun from the page gets. */
export interface JobSettings {
  /** Folder of the results. */
  store: string;
  /** In which experiments say what they remark. */
  lang: Lang;
  /** Settings beside those that the page sends: whose machines do it. */
  workers: readonly GivenSetting[];
}

/** Each experiment runs in a process of its own and tells its own id: nothing is looked for in the store. */
export function makeJobs({ store, lang, workers }: JobSettings): Jobs {
  const jobs = new Map<string, TrackedJob>();
  let next = 1;
  return {
    begin(start) {
      const name = String(next++);
      const { command, settings, profile, shown } = start;
      const typed = workers.flatMap(({ name: flag, texts }) => texts.map((text) => `--${flag}=${text}`));
      const experiment = startExperiment({
        command,
        settings: [...settings, ...workers],
        profile,
        store: resolve(store),
        shown: shownCommand([...shown, ...typed]),
      });
      jobs.set(name, { shown, experiment });
      const [oldest] = jobs.keys();
      if (jobs.size > mostKept && oldest !== undefined) jobs.delete(oldest);
      return name;
    },
    state(name) {
      const job = jobs.get(name);
      if (job === undefined) return null;
      const { shown, experiment } = job;
      const said = experiment.said().map((phrase) => say(phrase, lang).split('\n').map(printable).join('\n'));
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
