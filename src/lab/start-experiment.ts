import { fork } from 'node:child_process';
import { exitCodes } from '../core/index.ts';
import type { Phrase } from '../core/index.ts';
import type { LabEvent } from './events.ts';
import type { GivenSetting } from './settings/read-vocabulary.ts';

/** An experiment to carry out in a process of its own: plain data that goes over a channel. */
export interface ExperimentAsk {
  command: 'run' | 'sweep' | 'find' | 'sim';
  /** The settings, the server's address among them, as they were typed. */
  settings: readonly GivenSetting[];
  /** The engine of a simulation by its name; null = the default one, or a real server. */
  profile: string | null;
  store: string;
  /** The command line that would do the same; the record keeps it. */
  shown: readonly string[];
}

/** What the process says: everything that happens, and a bug of ours before it ends. */
export type ExperimentMessage = LabEvent | { event: 'bug'; text: string };

/** How an experiment in a process of its own goes. */
export interface StartedExperiment {
  /** The run or sweep in the store; null = its folder does not stand yet. */
  id(): string | null;
  /** Its exit code, as a command's; null = still running. */
  exitCode(): number | null;
  /** Everything it remarked, and why it failed where it did. */
  said(): readonly Phrase[];
}

const mostSaid = 200;

/** Begins an experiment that outlives this process. Its id comes with its first event. */
export function startExperiment(ask: ExperimentAsk): StartedExperiment {
  const child = fork(new URL('../lib/experiment-process.js', import.meta.url), [], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
    detached: true,
  });
  let planned: string | null = null;
  let stands = false;
  let code: number | null = null;
  const said: Phrase[] = [];
  const hear = (message: ExperimentMessage): void => {
    if (message.event === 'planned') planned = message.id;
    else if (message.event === 'started') stands = true;
    else if (message.event === 'note') said.push(message.note);
    else if (message.event === 'bug') said.push({ en: message.text, zh: message.text });
    else if (message.event === 'ended')
      for (const { place, message: what, hint } of message.mistakes) {
        const where = place?.flag ?? place?.field ?? place?.file ?? '';
        said.push({ en: `${where} ${what.en}. ${hint.en}`.trim(), zh: `${where} ${what.zh}。${hint.zh}`.trim() });
      }
    said.splice(0, said.length - mostSaid);
  };
  child.on('message', (message) => hear(message as ExperimentMessage));
  child.once('error', (error) => {
    said.push({ en: error.message, zh: error.message });
    code ??= exitCodes.bug;
  });
  child.once('exit', (exit) => (code ??= exit ?? exitCodes.interrupted));
  child.send(ask, () => {
    // A process that could not be started says so by its error or its exit.
  });
  child.unref();
  child.channel?.unref();
  return { id: () => (stands ? planned : null), exitCode: () => code, said: () => said };
}
