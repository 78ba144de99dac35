import { join, resolve } from 'node:path';
import type { Finding, RunPlan, Searched, Sweep } from '../core/index.ts';
import {
  createRun,
  createSweep,
  lockFolder,
  newRunId,
  newSweepId,
  openSweep,
  resumeSweep,
} from '../results/store/index.ts';
import type { NewRun, OpenedSweep, RunWriter, StoredRun, SweepWriter } from '../results/store/index.ts';
import type { ExperimentKind } from './events.ts';
import { noteTakeOver } from './measure-point.ts';
import { checkResumable, otherPoints, refuseOtherPlan, refuseWhole } from './points/resume.ts';
import { version } from './version.ts';
import type { World } from './world.ts';

/** Where an experiment is kept: a run's folder in the store, or the folder of a sweep with a run's folder for each point. */
export interface ExperimentFolder {
  /** Known before the folder stands. */
  readonly id: string;
  readonly dir: string;
  readonly title: string | null;
  /** Looks at the points that are known now, and makes the folder that holds them all. */
  open(about: { variable: Sweep['variable']; plans: readonly RunPlan[] | null }): Promise<void>;
  create(run: NewRun): Promise<RunWriter>;
  /** A point as an interrupted part of the experiment left it; null = it was not begun. */
  begun(number: number): StoredRun | null;
  /** How an interrupted run goes on with workers that hold it. */
  readonly interruptedRun: StoredRun | null;
  finish(findings: readonly Finding[], whole: boolean, search?: Searched): Promise<void>;
  /** Lets others write into it; called whatever happened. */
  release(): Promise<void>;
}

/** The folder of a new experiment, or of the one to go on with. */
export function experimentFolder(
  kind: ExperimentKind,
  title: string | null,
  resume: StoredRun | OpenedSweep | null,
  world: World,
): ExperimentFolder {
  if (kind === 'run') return runFolder(title, resume?.kind === 'run' ? resume : null, world);
  return sweepFolder(title, resume?.kind === 'sweep' ? resume : null, world);
}

function runFolder(title: string | null, interrupted: StoredRun | null, { store }: World): ExperimentFolder {
  const id = interrupted?.id ?? newRunId(new Date().toISOString(), title);
  return {
    id,
    dir: interrupted?.dir ?? join(resolve(store), id),
    title,
    interruptedRun: interrupted,
    async open({ plans }) {
      const plan = plans?.[0];
      if (interrupted !== null && plan !== undefined) await checkResumable(interrupted, plan);
    },
    create: (run) => createRun(store, run, id),
    begun: () => interrupted,
    finish: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
}

function sweepFolder(title: string | null, interrupted: OpenedSweep | null, world: World): ExperimentFolder {
  const startedAt = new Date().toISOString();
  const id = interrupted?.id ?? newSweepId(startedAt, title);
  let writer: SweepWriter | null = null;
  let left = interrupted;
  return {
    id,
    dir: interrupted?.dir ?? join(resolve(world.store), id),
    title,
    interruptedRun: null,
    async open({ variable, plans }) {
      if (interrupted === null) {
        const { command } = world;
        writer = await createSweep(world.store, { title, variable, startedAt, llmdyno: version, command }, id);
        return;
      }
      const lock = await lockFolder(interrupted.dir);
      try {
        // The process that held the folder until now may have added points.
        left = await openSweep(world.store, interrupted.dir);
        checkPoints(left, plans);
        writer = await resumeSweep(left, lock);
      } catch (error) {
        await lock.release();
        throw error;
      }
      if (lock.tookOverFrom !== null) noteTakeOver(world, id, lock.tookOverFrom.pid);
    },
    create: (run) => writer!.createRun(run),
    begun: (number) => left?.runs[number] ?? null,
    async finish(findings, whole, search) {
      await writer?.finish(findings, whole, search);
    },
    async release() {
      await writer?.release();
    },
  };
}

/** Every point that was begun must be the one that would be measured now; a search knows them only one by one. */
function checkPoints(interrupted: OpenedSweep, plans: readonly RunPlan[] | null): void {
  refuseWhole(interrupted);
  if (plans === null) return;
  for (const [number, run] of interrupted.runs.entries()) {
    const plan = plans[number];
    if (plan === undefined) throw otherPoints(interrupted);
    refuseOtherPlan(run, plan);
  }
}
