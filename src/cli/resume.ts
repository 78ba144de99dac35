import { isDeepStrictEqual } from 'node:util';
import { hiddenValue, keptPlan, printable, UserError } from '../core/index.ts';
import type { Mistake, RunPlan } from '../core/index.ts';
import { readSummary } from '../store/index.ts';
import type { OpenedSweep, RunRecord, StoredRun } from '../store/index.ts';
import { last } from './command.ts';
import type { CommandFile, Flag, Given } from './command.ts';
import { parseCommand } from './parse.ts';

/** The flag of commands that can go on with what was interrupted. */
export const resumeFlag: Flag = {
  name: 'resume',
  value: 'RUN',
  help: {
    en: 'go on with an interrupted run or sweep of the store (id, label or latest) without repeating what it finished; its settings are taken from it',
    zh: '继续存储中被中断的运行或扫描（id、标签或 latest），不重复已完成的部分；沿用其设置',
  },
};

/** What to go on with; null = nothing. */
export function resumeWord(given: Given): string | null {
  return last(given, resumeFlag.name) ?? null;
}

/** The command line of an interrupted run with this one's words over it: mostly only `--resume RUN` is typed. */
export function givenAgain(
  given: Given,
  name: string,
  file: CommandFile,
  { command }: Pick<RunRecord, 'command'>,
  plan: RunPlan | null,
): Given {
  if (command === null || command[1] !== name) return given;
  const before = parseCommand(name, file, command.slice(2), given.io);
  if (before === null) return given;
  const flags = new Map([...before.flags, ...given.flags]);
  const hidden = (flag: string): boolean => flags.get(flag)?.some((text) => text.includes(hiddenValue)) === true;
  if (hidden('body') && plan !== null) {
    const body = JSON.stringify(plan.generation.body);
    if (body.includes(hiddenValue)) throw needsBody();
    flags.set('body', [body]);
  }
  if (hidden('header')) throw needsHeader();
  return { ...given, flags, args: given.args.length > 0 ? given.args : before.args };
}

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
  return new UserError({
    code: 'plan-differs',
    message: { en: `${id} has other points than these settings give`, zh: `${id} 的测试点与当前设置不同` },
    hint: {
      en: 'Go on with the same settings (give --resume alone), or measure anew without it.',
      zh: '请使用相同设置（只给 --resume），或去掉它重新测量。',
    },
    place: { flag: '--resume' },
  });
}

/** Whether a point of a sweep needs no more work. */
export async function isFinished(run: StoredRun): Promise<boolean> {
  const summary = await readSummary(run);
  return summary !== null && !summary.partial;
}

/** Places in which two plans differ, the deepest that can be named. */
function differences(before: unknown, now: unknown, at: string): string[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (!isRecord(before) || !isRecord(now)) return [`${at}: ${shown(before)} → ${shown(now)}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return keys.flatMap((key) => differences(before[key], now[key], at === '' ? key : `${at}.${key}`));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? '–' : printable(JSON.stringify(value)).slice(0, 60);
}

function finished(id: string): UserError {
  return new UserError({
    code: 'run-finished',
    message: { en: `${id} is finished: nothing is left to do`, zh: `${id} 已完成，没有剩余工作` },
    hint: {
      en: `Show it with \`dyno report ${id}\`, or measure again without --resume.`,
      zh: `可用 \`dyno report ${id}\` 查看；重新测量请去掉 --resume。`,
    },
    place: { flag: '--resume' },
  });
}

function planDiffers(run: StoredRun, differs: readonly string[]): UserError {
  return new UserError(
    differs.slice(0, 10).map((difference): Mistake => ({
      code: 'plan-differs',
      message: {
        en: `${run.id} was planned otherwise: ${difference}`,
        zh: `${run.id} 的计划不同：${difference}`,
      },
      hint: {
        en: 'Go on with the same settings (give --resume alone), or measure anew without it.',
        zh: '请使用相同设置（只给 --resume），或去掉它重新测量。',
      },
      place: { flag: '--resume' },
    })),
  );
}

function needsHeader(): UserError {
  return new UserError({
    code: 'resume-needs-header',
    message: { en: 'its headers may hold secrets and were not kept', zh: '其请求头可能含密钥，未被保存' },
    hint: { en: 'Give every --header again beside --resume.', zh: '请在 --resume 之外重新给出所有 --header。' },
    place: { flag: '--resume' },
  });
}

function needsBody(): UserError {
  return new UserError({
    code: 'resume-needs-body',
    message: {
      en: 'fields of its --body may hold secrets, and their values were not kept',
      zh: '其 --body 字段可能含密钥，取值未被保存',
    },
    hint: { en: 'Give --body again beside --resume.', zh: '请在 --resume 之外重新给出 --body。' },
    place: { flag: '--resume' },
  });
}

/** Conversations are taken up from their beginning only. */
export function conversationsCannotResume(run: StoredRun): UserError {
  return new UserError({
    code: 'resume-conversations',
    message: {
      en: `${run.id} asks in conversations, and those under way were lost with the interruption`,
      zh: `${run.id} 为多轮对话，中断时进行中的对话已丢失`,
    },
    hint: {
      en: 'Measure again without --resume; the records of the first part stay in the store.',
      zh: '请去掉 --resume 重新测量；第一部分的记录仍保留在存储中。',
    },
    place: { flag: '--resume' },
  });
}
