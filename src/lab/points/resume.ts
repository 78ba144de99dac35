import { isDeepStrictEqual } from 'node:util';
import { isObject, keptPlan, mistake, printable, UserError, userError } from '../../core/index.ts';
import type { Mistake, RunPlan } from '../../core/index.ts';
import { readSummary } from '../../results/store/index.ts';
import type { OpenedSweep, StoredRun } from '../../results/store/index.ts';

/** Refuses to go on with a run that is finished, or that would ask other things than before. */
export async function checkResumable(run: StoredRun, plan: RunPlan): Promise<void> {
  const summary = await readSummary(run);
  if (summary !== null && !summary.partial) throw finished(run.id);
  refuseOtherPlan(run, plan);
}

/** Refuses to go on where other things would be asked than before. */
export function refuseOtherPlan(run: StoredRun, plan: RunPlan): void {
  const differs = differences(run.record.plan, keptPlan(plan), '');
  if (differs.length > 0) throw planDiffers(run, differs);
}

/** Refuses to go on with a sweep that is finished, or of which points are gone. */
export function refuseWhole({ id, record, missing }: OpenedSweep): void {
  if (record.finished) throw finished(id);
  if (missing.length > 0) throw otherPoints({ id });
}

/** The points of a sweep are not those that would be measured now. */
export function otherPoints({ id }: { id: string }): UserError {
  return userError(
    'plan-differs',
    `${id} has other points than these settings give`,
    `${id} 的测试点与当前设置不同`,
    'Go on with the same settings (give --resume alone), or measure anew without it.',
    '请使用相同设置（只给 --resume），或去掉它重新测量。',
    '--resume',
  );
}

/** Whether a point of a sweep needs no more work. */
export async function isFinished(run: StoredRun): Promise<boolean> {
  const summary = await readSummary(run);
  return summary !== null && !summary.partial;
}

/** Places in which two plans differ, the deepest that can be named. */
function differences(before: unknown, now: unknown, at: string): string[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (!isObject(before) || !isObject(now)) return [`${at}: ${shown(before)} → ${shown(now)}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return keys.flatMap((key) => differences(before[key], now[key], at === '' ? key : `${at}.${key}`));
}

function shown(value: unknown): string {
  return value === undefined ? '–' : printable(JSON.stringify(value)).slice(0, 60);
}

function finished(id: string): UserError {
  return userError(
    'run-finished',
    `${id} is finished: nothing is left to do`,
    `${id} 已完成，没有剩余工作`,
    `Show it with \`dyno report ${id}\`, or measure again without --resume.`,
    `可用 \`dyno report ${id}\` 查看；重新测量请去掉 --resume。`,
    '--resume',
  );
}

function planDiffers(run: StoredRun, differs: readonly string[]): UserError {
  return new UserError(
    differs
      .slice(0, 10)
      .map((difference): Mistake =>
        mistake(
          'plan-differs',
          `${run.id} was planned otherwise: ${difference}`,
          `${run.id} 的计划不同：${difference}`,
          'Go on with the same settings (give --resume alone), or measure anew without it.',
          '请使用相同设置（只给 --resume），或去掉它重新测量。',
          '--resume',
        ),
      ),
  );
}
