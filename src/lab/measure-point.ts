import { userError } from '../core/index.ts';
import type { Phrase, ResumePoint, RunPlan, Summary } from '../core/index.ts';
import { readExchanges, resumeRun, takeUp } from '../results/store/index.ts';
import type { NewRun, RunWriter, StoredRun } from '../results/store/index.ts';
import { afterwardsOf } from './count-afterwards.ts';
import { eligibleShareOf } from './eligible-share.ts';
import { executeRun } from './execute-run.ts';
import { flushCache, withDoubt } from './flush-cache.ts';
import type { OwnParts } from './own-parts.ts';
import type { LiveFile } from './live-file.ts';
import type { Prepared } from './prepare/prepare.ts';
import type { RunnerSource } from './runners/runner-source.ts';
import { version } from './version.ts';
import { note } from './world.ts';
import type { World } from './world.ts';

/** One point of an experiment: what is asked, and what it is called while it lasts. */
export interface LabPoint {
  prepared: Prepared;
  plan: RunPlan;
  name: Phrase;
}

/** A summary and the folder that holds everything behind it. */
export interface MeasuredPoint {
  summary: Summary;
  dir: string;
}

/** Where a point is measured, and with what. */
export interface PointPlace {
  world: World;
  runners: RunnerSource;
  live: LiveFile;
  /** Its place in the experiment, from 0, and of how many where that is known. */
  number: number;
  of: number | null;
  /** Requests that the points before it have issued. */
  issuedBefore: number;
  /** Makes the folder of a new point. */
  create(run: NewRun): Promise<RunWriter>;
  /** The point as an earlier part of the experiment left it; null = it is new. */
  begun: StoredRun | null;
  /** Rules beside those of the audit; absent = none. */
  auditRules?: OwnParts['rules'];
}

/** Measures one point into its folder, with everything told on the way. */
export async function measurePoint(point: LabPoint, place: PointPlace): Promise<MeasuredPoint> {
  const { begun, world } = place;
  if (begun === null) return measureInto(point, place, null, place.create);
  const unfinished = await takeUp(begun);
  try {
    const { behind, conversations, lock } = unfinished;
    if (lock.tookOverFrom !== null) noteTakeOver(world, begun.id, lock.tookOverFrom.pid);
    const { goesOnAlone } = place.runners;
    // Workers keep their conversations while no controller is there, so only those of this machine are lost.
    if (conversations && !goesOnAlone)
      throw userError(
        'resume-conversations',
        `${begun.id} asks in conversations, and those under way were lost with the interruption`,
        `${begun.id} 为多轮对话，中断时进行中的对话已丢失`,
        'Measure again without --resume; the records of the first part stay in the store.',
        '请去掉 --resume 重新测量；第一部分的记录仍保留在存储中。',
        '--resume',
      );
    return await measureInto(point, place, behind, ({ startedAt, monotonicOriginNs }) =>
      // Workers and their clock went on meanwhile, so the record has no break.
      resumeRun(begun, unfinished, goesOnAlone ? null : { at: startedAt, monotonicOriginNs }),
    );
  } finally {
    await unfinished.lock.release();
  }
}

async function measureInto(
  { prepared, plan, name }: LabPoint,
  { world, runners, live, number, of, issuedBefore, auditRules }: PointPlace,
  behind: ResumePoint | null,
  open: (run: NewRun) => Promise<RunWriter>,
): Promise<MeasuredPoint> {
  const unflushed = behind === null ? await flushCache(world, prepared, plan) : null;
  const { runner, telemetry, models } = await runners.runnerFor({ prepared, plan, number, issuedBefore, behind });
  const record: NewRun = {
    plan,
    startedAt: new Date().toISOString(),
    simulated: runner.simulated,
    monotonicOriginNs: runner.monotonicOriginNs,
    llmdyno: version,
    command: world.command,
  };
  const writer = await open(record).catch(async (failure: unknown) => {
    await telemetry?.stop();
    throw failure;
  });
  const { runId, dir } = writer;
  let warmup = plan.warmup !== null;
  try {
    world.notify({ event: 'started', runId, dir, number, of, name, plan });
    await live.follow({ dir, state: () => runner.state(), warmup: () => warmup });
    const summary = await executeRun({
      plan,
      runner,
      writer,
      stops: world.stops,
      telemetry,
      models,
      auditRules,
      eligible: eligibleShareOf(prepared, plan),
      before: behind === null ? null : readExchanges(writer),
      afterwards: withDoubt(afterwardsOf(prepared, plan), unflushed),
      onProgress: (figures) => {
        warmup = figures.warmup;
        world.notify({ event: 'progress', runId, figures });
      },
    });
    await runner.close?.();
    world.notify({ event: 'point', number, dir, summary });
    return { summary, dir };
  } finally {
    await live.follow(null);
    await writer.release();
  }
}

/** Says that a folder was held by a process that is gone. */
export function noteTakeOver(world: World, id: string, pid: number): void {
  note(
    world,
    `note: ${id} was held by process ${pid}, which is gone; going on in its place`,
    `提示：${id} 原由进程 ${pid} 占用，该进程已不存在；由本进程继续`,
  );
}
