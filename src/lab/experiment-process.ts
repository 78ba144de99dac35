import { exitCodes, makeScrub, systemMistake, UserError } from '../core/index.ts';
import { builtinProfile, defaultProfileName } from '../engine/sim/index.ts';
import { kindOf, runExperiment } from './experiment.ts';
import type { Experiment } from './experiment.ts';
import { letRead } from '../results/store/index.ts';
import { loadPoints } from './prepare/assemble-plan.ts';
import { nowhere } from './prepare/prepare.ts';
import { findSettings, sweepSettings } from './settings/plan-settings.ts';
import { readSettings } from './settings/read-settings.ts';
import type { ExperimentAsk, ExperimentMessage } from './start-experiment.ts';
import type { World } from './world.ts';

// The file that an experiment in a process of its own runs: it is asked over the channel that it was started with, tells every event
// there, and goes on where nobody listens any more.

process.once('message', (ask: ExperimentAsk) => {
  process.channel?.unref();
  void carryOut(ask).then((code) => {
    process.exitCode = code;
    if (process.connected) process.disconnect();
  });
});

async function carryOut(ask: ExperimentAsk): Promise<number> {
  letRead(process.env['DYNO_STORE_READERS']);
  const sending = new AbortController();
  const everything = new AbortController();
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const)
    process.on(signal, () => {
      sending.abort();
      everything.abort();
    });
  const world: World = {
    store: ask.store,
    env: process.env,
    stops: { drain: sending.signal, cancel: everything.signal },
    quiet: false,
    command: ask.shown,
    notify: tell,
    hide(values) {
      hidden.push(...values);
      scrub = makeScrub(hidden);
    },
  };
  try {
    return (await runExperiment(experimentOf(ask), world)).exitCode;
  } catch (error) {
    // An experiment tells its user's mistakes as its last event.
    if (error instanceof UserError) return error.exitCode;
    const refused = systemMistake(error);
    if (refused !== null) {
      tell({ event: 'note', note: refused.mistakes[0]!.message });
      return refused.exitCode;
    }
    tell({ event: 'bug', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    return exitCodes.bug;
  }
}

const hidden: string[] = [];
let scrub = makeScrub(hidden);

/** Frequent figures are for whoever watches in this process: a page reads the folder. */
function tell(message: ExperimentMessage): void {
  if (message.event === 'progress' || !process.connected) return;
  const clean = JSON.parse(scrub(JSON.stringify(message))) as ExperimentMessage;
  process.send?.(clean, undefined, undefined, () => {
    // The process that started this one is gone; the folder holds all results.
  });
}

function experimentOf({ command, settings, profile }: ExperimentAsk): Experiment {
  const asked = readSettings(settings, { ...sweepSettings, ...findSettings }, nowhere);
  if (command === 'find') return { kind: 'find', settings: { ...asked, find: 'max' }, simulate: null, resume: null };
  if (command !== 'sim') return { kind: command, settings: asked, simulate: null, resume: null };
  const simulate = { profile: builtinProfile(profile ?? defaultProfileName), faults: [] };
  return { kind: kindOf(asked, loadPoints(asked).length), settings: asked, simulate, resume: null };
}
