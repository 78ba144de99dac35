import { auditSweep } from '../results/audit/index.ts';
import { exitCodes, UserError } from '../core/index.ts';
import type { ExitCode, Summary, Sweep } from '../core/index.ts';
import { readSummary, readExchanges } from '../results/store/index.ts';
import type { OpenedSweep, StoredRun } from '../results/store/index.ts';
import type { Found } from '../advice/tune/index.ts';
import { openComputeQueue } from './compute/compute-queue.ts';
import type { ExperimentKind } from './events.ts';
import { findResultOf } from './points/find-result.ts';
import { searchedOf } from '../results/report/index.ts';
import type { FindResult } from '../results/report/index.ts';
import { experimentFolder } from './experiment-folder.ts';
import type { ExperimentFolder } from './experiment-folder.ts';
import { checkOwnParts } from './own-parts.ts';
import type { OwnParts } from './own-parts.ts';
import { openLiveFile } from './live-file.ts';
import type { StopKind } from './live-file.ts';
import { measurePoint } from './measure-point.ts';
import type { LabPoint, MeasuredPoint } from './measure-point.ts';
import { measurePoints } from './point-loop.ts';
import type { PointSource } from './point-loop.ts';
import { loadSearch, searchSizes } from './points/load-search.ts';
import type { LoadSearch } from './points/load-search.ts';
import { sweepList } from './points/point-list.ts';
import type { OwnPoints, PointList } from './points/point-list.ts';
import { isFinished, refuseOtherPlan } from './points/resume.ts';
import type { PlanSettings } from './prepare/assemble-plan.ts';
import type { ServerWords } from './prepare/prepare.ts';
import type { RunnerSource } from './runners/runner-source.ts';
import { serverRunners } from './runners/server-runners.ts';
import { simulatedRunners } from './runners/simulated-runners.ts';
import type { SimulatedEngine } from './runners/simulated-runners.ts';
import type { FindSettings, SweepSettings } from './settings/plan-settings.ts';
import { rest, withStop } from './world.ts';
import type { World } from './world.ts';
import { makeTrace, parseRunGate, standingOf } from '../results/measure/index.ts';
import type { GateResult } from '../results/measure/index.ts';

/** Settings of an experiment: the same settings as flags, plan files and the page's form have. */
export type ExperimentSettings = ServerWords & SweepSettings & FindSettings;

/** What is to be measured. */
export interface Experiment {
  kind: ExperimentKind;
  settings: ExperimentSettings;
  /** An engine in virtual time; null = the server that the settings name. */
  simulate: SimulatedEngine | null;
  /** The interrupted run or sweep to go on with; null = a new one. */
  resume: StoredRun | OpenedSweep | null;
  /** What a program brings of its own; left out = nothing. */
  own?: OwnParts;
  /** What the sweep is called; left out = the label. */
  title?: string;
  /** Points that the settings alone do not say; left out = as the settings say. */
  points?(runners: RunnerSource): Promise<PointList | OwnPoints>;
  /** Called after each point, before the next one begins. */
  after?(measured: MeasuredPoint, point: LabPoint, number: number): Promise<void>;
}

/** What came of an experiment. */
export interface Outcome {
  kind: ExperimentKind;
  id: string;
  dir: string;
  /** It was carried out to its end; false = it was stopped before. */
  whole: boolean;
  points: Summary[];
  /** null = it was one run, which is no sweep. */
  sweep: Sweep | null;
  /** What a search found; null = there was none, or it did not end. */
  found: Found | null;
  /** The same as it is told, with every look; null = there was no search. */
  search: FindResult | null;
  /** What became of every --fail-if at every point; none where nothing must not come true. */
  gates: PointGate[];
  /** How the experiment is judged, as exit code of a command. */
  exitCode: ExitCode;
}

/** The kind of experiment that settings ask for: a search, one run, or a sweep. */
export function kindOf(settings: SweepSettings & FindSettings, loads: number): ExperimentKind {
  if (settings.find !== undefined) return 'find';
  return loads === 1 && settings.grid === undefined && (settings.repeat ?? 1) === 1 ? 'run' : 'sweep';
}

/** Carries out an experiment: live or simulated, one point, many or a search, from here or from many machines. */
export async function runExperiment(experiment: Experiment, outside: World): Promise<Outcome> {
  const { kind, settings, simulate, resume, own = {} } = experiment;
  checkOwnParts(own, settings, simulate !== null);
  const { stops, stop } = withStop(outside.stops);
  const world: World = { ...outside, stops };
  const beganAt = Date.now();
  const folder = experimentFolder(kind, experiment.title ?? settings.label ?? null, resume, world);
  world.notify({ event: 'planned', id: folder.id, kind });
  const queue = simulate === null ? null : await openComputeQueue(settings, world);
  const runners =
    simulate === null
      ? serverRunners(settings, world, folder.interruptedRun, null, own)
      : simulatedRunners(simulate, queue, own);
  try {
    const source = await sourceOf(experiment, runners);
    const list = 'points' in source ? source : null;
    if (list !== null) runners.ahead?.(list.points);
    const isGrid = 'isGrid' in source && source.isGrid;
    const variable = isGrid ? 'grid' : settings.rate === undefined ? 'concurrency' : 'rate';
    world.notify({ event: 'prepared', of: list?.points.length ?? null });
    await folder.open({ variable, plans: list?.points.map(({ plan }) => plan) ?? null });
    const of = list?.points.length ?? null;
    const { after } = experiment;
    const carrying = { world, stop, runners, folder, of, pauseMs: settings.pause ?? 0, after, auditRules: own.rules };
    const done = await carryOut(source, carrying);
    const points = done.done.map(({ summary }) => summary);
    const findings = isGrid || kind === 'run' ? [] : auditSweep(points);
    for (const finding of findings) world.notify({ event: 'finding', finding });
    const search = 'found' in source ? source : null;
    const found = search?.found() ?? null;
    const asked = {
      kind: variable === 'rate' ? 'rate' : 'concurrency',
      slo: settings.slo ?? [],
      durationMs: Date.now() - beganAt,
    } as const;
    const told = search === null ? null : findResultOf(found, search.looks(), points, asked);
    const kept = told === null || found === null ? {} : { search: searchedOf(told) };
    await folder.finish(findings, done.whole, kept.search);
    const { id, dir, title } = folder;
    const sweep: Sweep = { schema: 'llmdyno.sweep/1', id, title, variable, points, findings, ...kept };
    const outcome = { kind, id, dir, whole: done.whole, points, sweep: kind === 'run' ? null : sweep };
    world.notify({ event: 'ended', how: done.whole ? 'whole' : 'interrupted', dir, mistakes: [] });
    const gates = await gatesOf(done.done, settings.failIf ?? []);
    const exitCode = exitCodeOf(points, done.whole, search, settings, gates);
    return { ...outcome, found, search: told, gates, exitCode };
  } catch (error) {
    const mistakes = error instanceof UserError ? error.mistakes : [];
    world.notify({ event: 'ended', how: 'failed', dir: null, mistakes });
    throw error;
  } finally {
    await folder.release();
    await runners.close();
    await queue?.close();
  }
}

async function sourceOf(experiment: Experiment, runners: RunnerSource): Promise<LoadSearch | PointList | OwnPoints> {
  const { kind, settings, simulate } = experiment;
  if (experiment.points !== undefined) return experiment.points(runners);
  if (kind !== 'find') return sweepList(settings, runners);
  const size = searchSizes[simulate === null ? 'server' : 'simulated'];
  return loadSearch(settings, runners, { ...size, runs: settings.findRuns ?? size.runs });
}

/** Where the points of an experiment go, and what measures them. */
interface Carrying {
  world: World;
  /** Stops as files named `stop` and `cancel` in the folder ask for. */
  stop(how: StopKind): void;
  runners: RunnerSource;
  folder: ExperimentFolder;
  /** How many points there will be; null = not known. */
  of: number | null;
  /** Rest between two points. */
  pauseMs: number;
  after: Experiment['after'];
  auditRules: OwnParts['rules'];
}

/** Measures the points of a source into a folder; those that an earlier part finished are read from there. */
async function carryOut(
  source: PointSource<LabPoint, MeasuredPoint>,
  { world, stop, runners, folder, of, pauseMs, after, auditRules }: Carrying,
): Promise<{ done: MeasuredPoint[]; whole: boolean }> {
  const live = openLiveFile(folder.dir, world.stops, (how) => {
    world.notify({ event: 'stopping', how });
    stop(how);
  });
  let isFirst = true;
  const measure = async (point: LabPoint, done: readonly MeasuredPoint[]): Promise<MeasuredPoint> => {
    const number = done.length;
    const begun = folder.begun(number);
    if (begun !== null) refuseOtherPlan(begun, point.plan);
    const known = begun !== null && (await isFinished(begun)) ? await readSummary(begun) : null;
    if (begun !== null && known !== null) return { summary: known, dir: begun.dir };
    if (!isFirst && pauseMs > 0) await rest(pauseMs, world.stops.drain);
    isFirst = false;
    const issuedBefore = done.reduce((sum, { summary }) => sum + summary.counts.issued, 0);
    const create = folder.create.bind(folder);
    const place = { world, runners, live, number, of, issuedBefore, create, begun, auditRules };
    const measured = await measurePoint(point, place);
    await after?.(measured, point, number);
    return measured;
  };
  try {
    return await measurePoints(source, measure, world.stops.drain);
  } finally {
    await live.end();
  }
}

function exitCodeOf(
  points: readonly Summary[],
  whole: boolean,
  search: LoadSearch | null,
  { lenient }: Pick<PlanSettings, 'lenient'>,
  gates: readonly PointGate[],
): ExitCode {
  if (!whole) return exitCodes.interrupted;
  if (search?.found()?.confirmed === false) return exitCodes.gateFailed;
  // Of a search only the looks at its answer count: those beyond it were meant to go too far.
  const counted = search === null ? points : points.filter((_, number) => search.isAnswer(number));
  if (lenient === true) return exitCodes.ok;
  const promises = search === null ? counted.flatMap(({ slo = [] }) => slo) : [];
  // A promise that could not be measured is neither kept nor broken.
  if (counted.some(({ verdict }) => !verdict.valid)) return exitCodes.notValid;
  const failed = gates.some(({ state }) => state === 'failed') || promises.some(({ kept }) => kept === false);
  if (failed) return exitCodes.gateFailed;
  const doubtful = gates.some(({ state }) => state !== 'passed') || promises.some(({ kept }) => kept === null);
  return doubtful ? exitCodes.notValid : exitCodes.ok;
}

/** What became of one --fail-if at one point. */
type PointGate = Pick<GateResult, 'text' | 'state' | 'measured' | 'needs' | 'load'>;

/** Judges every point by its conditions, from its requests as they stand in its folder. */
async function gatesOf(points: readonly MeasuredPoint[], conditions: readonly string[]): Promise<PointGate[]> {
  const gates: PointGate[] = [];
  if (conditions.length === 0) return gates;
  for (const { summary, dir } of points) {
    const { kind, concurrency } = summary.load;
    const trace = makeTrace({ kind: kind === 'closed' ? 'closed' : 'open', concurrency });
    for await (const exchange of readExchanges({ dir })) trace.add(exchange);
    for (const text of conditions) {
      const { state, measured, needs } = standingOf(parseRunGate(text).promise, summary, trace);
      const told = state === 'kept' ? 'passed' : state === 'broken' ? 'failed' : state;
      const load = points.length === 1 ? null : (summary.load.concurrency ?? summary.load.ratePerSec);
      gates.push({ text, state: told, measured, needs, load });
    }
  }
  return gates;
}
