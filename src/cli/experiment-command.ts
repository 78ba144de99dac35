import { say } from '../core/index.ts';
import type { Summary } from '../core/index.ts';
import { runExperiment, shownCommand, SummaryNotKept } from '../lab/index.ts';
import type { Experiment, LabEvent, Outcome, World } from '../lab/index.ts';
import { gateWords, predictionDoubts, predictionWords } from '../results/report/index.ts';
import { saturationWords } from '../engine/sim/index.ts';
import type { Saturation } from '../engine/sim/index.ts';
import { remark } from './command.ts';
import type { ParsedCommand } from './command.ts';
import { showFind, showFoundSweep } from './found-text.ts';
import { listenForInterrupts } from './interrupts.ts';
import { progressLine } from './progress-line.ts';
import type { ProgressLine } from './progress-line.ts';
import { keepGrid } from './render.ts';
import { showPoint, showRun, showSummary, showSweep } from './show.ts';

/** The world of one command: its store and environment, Ctrl-C as its stops, and a terminal that tells what happens. */
export interface CommandWorld {
  world: World;
  /** No longer listens for Ctrl-C. */
  done(): void;
}

/** Makes the world of a command. `hear` is told every event too, after the terminal was. */
export function commandWorld(given: ParsedCommand, hear: (event: LabEvent) => void = () => {}): CommandWorld {
  const { io, common } = given;
  const interrupts = listenForInterrupts(given);
  let line: ProgressLine | null = null;
  const tell = (event: LabEvent): void => {
    // Before load there is nothing to drain: Ctrl-C ends the process at once.
    if (event.event === 'prepared') interrupts.listen();
    else if (event.event === 'stopping') interrupts.say(event.how);
    else if (event.event === 'note') remark(given, event.note.en, event.note.zh);
    else if (event.event === 'started') {
      const place = event.of === null || event.of === 1 ? '' : ` (${event.number + 1}/${event.of})`;
      line = progressLine(given, event.plan, `${say(event.name, common.lang)}${place}`);
    } else if (event.event === 'progress') line?.show(event.figures);
    else if (event.event === 'point' || event.event === 'ended') line?.clear();
  };
  const world: World = {
    store: common.store,
    env: io.env,
    stops: interrupts.stops,
    quiet: common.quiet,
    command: shownCommand(io.argv),
    hide: (values) => io.hide(values),
    notify(event) {
      tell(event);
      hear(event);
    },
  };
  return { world, done: () => interrupts.done() };
}

/** An experiment as a command carries it out: everything is shown while it lasts and at its end; ends with the exit code. */
export async function experimentCommand(
  given: ParsedCommand,
  experiment: Experiment,
  show: 'find' | 'curve' = 'curve',
): Promise<number> {
  const isRun = experiment.kind === 'run';
  const { world, done } = commandWorld(given, (event) => {
    if (event.event !== 'point' || isRun) return;
    showPoint(given, event.summary);
    showSaturation(given, event.summary);
    showPrediction(given, event.summary);
  });
  try {
    const outcome = await runExperiment(experiment, world);
    const { search, sweep, found } = outcome;
    const { settings, simulate } = experiment;
    if (search !== null && (show === 'find' || !given.common.json))
      showFind(given, outcome, search, simulate === null ? settings.url : null);
    else if (search !== null && sweep !== null) showFoundSweep(given, sweep, found, settings.slo ?? []);
    else await showOutcome(given, experiment, outcome);
    showGates(given, outcome);
    return outcome.exitCode;
  } catch (failure) {
    if (failure instanceof SummaryNotKept) showSummary(given, failure.summary);
    throw failure;
  } finally {
    done();
  }
}

async function showOutcome(
  given: ParsedCommand,
  { settings, simulate }: Experiment,
  { sweep, points, dir }: Outcome,
): Promise<void> {
  const [summary] = points;
  const url = simulate === null ? (settings.url ?? null) : null;
  if (sweep === null) {
    if (summary === undefined) return;
    showRun(given, summary, dir, url);
    showSaturation(given, summary);
    return;
  }
  showSweep(given, sweep, dir, url);
  if (sweep.variable === 'grid' && points.length > 0) await keepGrid(given, sweep, dir);
}

/** What became of each --fail-if: below the figures, and on stderr where stdout is for JSON. */
function showGates({ common, io }: ParsedCommand, { gates }: Outcome): void {
  for (const gate of gates) (common.json ? io.err : io.out)(`${say(gateWords(gate), common.lang)}\n`);
}

/** How far the figures of a point may be off, on stderr, for whoever watches a sweep; a run's screen has it. */
function showPrediction({ common, io }: ParsedCommand, summary: Summary): void {
  if (common.quiet || common.json) return;
  for (const phrase of [predictionWords(summary), predictionDoubts(summary)])
    if (phrase !== null) io.err(`  ${say(phrase, common.lang)}\n`);
}

/** What limited a simulated engine, on stderr. */
function showSaturation(given: ParsedCommand, { simulated, server }: Summary): void {
  const label = server?.['saturation'] as Saturation | null | undefined;
  if (!simulated || given.common.quiet || given.common.json || label == null) return;
  const { lang } = given.common;
  given.io.err(`${say({ en: 'engine', zh: '引擎' }, lang)}: ${say(saturationWords[label], lang)}\n`);
}
