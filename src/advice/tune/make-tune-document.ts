import { keptShell } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import { studentQuantile } from '../../results/measure/index.ts';
import { compareArms } from './variants.ts';
import type { Arm } from './variants.ts';
import { equalTo, rankChosen } from './choose-best.ts';
import type { Chosen } from './choose-best.ts';
import { noiseOf } from './noise.ts';
import type { StopReason } from './next-step.ts';
import { bindingOf } from './price.ts';
import { rangeEnds } from './range-ends.ts';
import type { TuneProblem } from './problem.ts';
import { startText } from './server.ts';
import type { ServerWords } from './server-words.ts';
import type { Settings } from './setting.ts';
import { placeOf } from './surrogate.ts';
import type { Trial } from './trial.ts';
import type { TuneDocument } from './tune-document.ts';
import { keepsAll } from './verdict.ts';
import { paragraphOf } from './paragraph.ts';

/** What a document is made from besides the trials. */
export interface TuneFacts {
  tuneId: string;
  name: string | null;
  simulated: boolean;
  startedAt: string;
  endedAt: string | null;
  budgetHours: number | null;
  server: ServerWords;
  arms: readonly Arm[];
}

/** The document of a tune at any moment; stoppedBecause null = it goes on. */
export function tuneDocument(
  problem: TuneProblem,
  facts: TuneFacts,
  trials: readonly Trial[],
  stoppedBecause: StopReason | null,
): TuneDocument {
  const searching = facts.arms.length === 0;
  const chosen = searching ? rankChosen(problem, trials) : [];
  const [best, runnerUp] = chosen;
  const ended = stoppedBecause !== null;
  const variants = searching ? [] : compareArms(facts.arms, trials, problem.objective);
  const document: Omit<TuneDocument, 'words'> = {
    schema: 'llmdyno.tune/1',
    tuneId: facts.tuneId,
    name: facts.name,
    running: !ended,
    simulated: facts.simulated,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    objective: { metric: problem.objective.word, direction: problem.objective.direction },
    slos: problem.slos.map(({ text }) => text),
    budget: { runs: problem.budgetRuns, hours: facts.budgetHours },
    best: best === undefined ? null : toldChoice(problem, best, trials),
    runnerUp: runnerUp === undefined ? null : toldChoice(problem, runnerUp, trials),
    equal:
      best === undefined
        ? []
        : equalTo(best, chosen.slice(1), noiseOf(problem.objective.word, trials)).map(({ point, objective }) => ({
            settings: { ...point.settings },
            load: { ...point.load },
            mean: objective,
          })),
    binding: best === undefined || !ended ? null : bindingOf(problem, trials, best),
    rangeEnds: best === undefined || !ended ? [] : rangeEnds(problem, best),
    loadAsked: best === undefined || placeOf(problem.space, best.point) !== null,
    patch: patchOf(facts.server, best?.point.settings ?? null),
    variants: variants.map((arm) => ({
      ...arm,
      interval: arm.interval === null ? null : [...arm.interval],
      changeInterval: arm.changeInterval === null ? null : [...arm.changeInterval],
    })),
    runs: trials.filter(({ outcome }) => outcome !== 'interrupted').length,
    restarts: trials.filter(({ restarted }) => restarted).length,
    trials: trials.map((trial) => toldTrial(problem, trial)),
    stoppedBecause,
  };
  const words: Phrase = paragraphOf(document);
  return { ...document, words };
}

function toldTrial(problem: TuneProblem, trial: Trial): TuneDocument['trials'][number] {
  const { summary: _, ...rest } = trial;
  return {
    ...rest,
    settings: { ...trial.settings },
    load: { ...trial.load },
    figures: { ...trial.figures },
    predicted: trial.predicted === null ? null : { by: trial.predicted.by, figures: { ...trial.predicted.figures } },
    valid: trial.summary?.verdict.valid ?? true,
    feasible: keepsAll([trial], problem.slos),
    objective: trial.figures[problem.objective.word] ?? null,
  };
}

function toldChoice(problem: TuneProblem, chosen: Chosen, trials: readonly Trial[]): NonNullable<TuneDocument['best']> {
  const { confirmation, objective } = chosen;
  const runs = Math.max(1, confirmation.fresh.length || chosen.trials.length);
  const half = studentQuantile(0.95, runs + 2) * (noiseOf(problem.objective.word, trials) / Math.sqrt(runs));
  const predicted = (confirmation.fresh[0] ?? chosen.trials[0])?.predicted ?? null;
  const shown = (confirmation.fresh.at(-1) ?? chosen.trials.at(-1))?.summary ?? null;
  return {
    settings: { ...chosen.point.settings },
    load: { ...chosen.point.load },
    summary: shown === null ? null : { ...shown },
    confirmed: chosen.confirmed,
    feasible: chosen.feasible,
    objective: {
      mean: objective,
      interval: objective === null ? null : [objective * Math.exp(-half), objective * Math.exp(half)],
    },
    predicted: predicted === null ? null : { by: predicted.by, figures: { ...predicted.figures } },
    standings: confirmation.standings.map(({ slo, value, bound, met, failures, unproven }) => ({
      slo: slo.text,
      value,
      bound,
      limit: slo.limit,
      met,
      failures: failures === null ? null : { ...failures },
      unproven,
    })),
    trials: chosen.trials.map(({ number }) => number),
  };
}

/** The settings as edits of files, a command line and environment variables. */
export function patchOf(server: ServerWords, settings: Settings | null): TuneDocument['patch'] {
  if (settings === null) return { files: [], command: null, env: {} };
  const named = (name: string): boolean => Object.hasOwn(settings, name);
  return {
    files: server.configs.map(({ file, set }) => ({
      file,
      set: Object.fromEntries(
        Object.entries(set).flatMap(([name, path]) => (named(name) ? [[path, settings[name]!]] : [])),
      ),
    })),
    command: server.start === null ? null : keptShell(startText(server.start, settings).replace(/^exec /, '')),
    env: Object.fromEntries(
      Object.entries(server.env).flatMap(([name, variable]) =>
        named(name) ? [[variable, String(settings[name])]] : [],
      ),
    ),
  };
}
