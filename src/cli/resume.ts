import { hiddenValue, userError } from '../core/index.ts';
import type { RunPlan } from '../core/index.ts';
import type { RunRecord } from '../results/store/index.ts';
import { anyText, one } from '../lab/index.ts';
import type { CommandFile, ParsedCommand } from './command.ts';
import { parseCommand } from './parse.ts';

/** The flag of commands that can go on with what was interrupted. */
export const resumeFlag = one(
  'resume RUN',
  anyText,
  'go on with an interrupted run or sweep of the store (id, label or latest) without repeating what it finished; its settings are taken from it',
  '继续存储中被中断的运行或扫描（id、标签或 latest），不重复已完成的部分；沿用其设置',
);

/** What to go on with; null = nothing. */
export function resumeWord(given: ParsedCommand): string | null {
  return given.flags.get(resumeFlag.name)?.at(-1) ?? null;
}

/** The command line of an interrupted run with this one's words over it: mostly only `--resume RUN` is typed. */
export function mergeResumedFlags(
  given: ParsedCommand,
  name: string,
  file: CommandFile,
  { command }: Pick<RunRecord, 'command'>,
  plan: RunPlan | null,
): ParsedCommand {
  if (command === null || command[1] !== name) return withPromptsOf(given, plan);
  const before = parseCommand(name, file, command.slice(2), given.io);
  if (before === null) return withPromptsOf(given, plan);
  const flags = new Map([...before.flags, ...given.flags]);
  const hidden = (flag: string): boolean => flags.get(flag)?.some((text) => text.includes(hiddenValue)) === true;
  if (hidden('body') && plan !== null) {
    const body = JSON.stringify(plan.generation.body);
    if (body.includes(hiddenValue))
      throw userError(
        'resume-needs-body',
        'fields of its --body may hold secrets, and their values were not kept',
        '其 --body 字段可能含密钥，取值未被保存',
        'Give --body again beside --resume.',
        '请在 --resume 之外重新给出 --body。',
        '--resume',
      );
    flags.set('body', [body]);
  }
  if (hidden('header'))
    throw userError(
      'resume-needs-header',
      'its headers may hold secrets and were not kept',
      '其请求头可能含密钥，未被保存',
      'Give every --header again beside --resume.',
      '请在 --resume 之外重新给出所有 --header。',
      '--resume',
    );
  return withPromptsOf({ ...given, flags, args: given.args.length > 0 ? given.args : before.args }, plan);
}

/** Who goes on with a run asks on as it began: with the prompts of its plan. */
function withPromptsOf(given: ParsedCommand, plan: RunPlan | null): ParsedCommand {
  const seed = plan?.dataset.settings?.['seed'];
  if (typeof seed !== 'number' || given.flags.has('prompt-seed')) return given;
  return { ...given, flags: new Map(given.flags).set('prompt-seed', [String(seed)]) };
}
