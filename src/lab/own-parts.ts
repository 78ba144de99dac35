import { mistake, UserError } from '../core/index.ts';
import type { Mistake } from '../core/index.ts';
import type { Protocol } from '../client/protocol/index.ts';
import type { Dataset } from '../inputs/dataset/index.ts';
import type { PointRule } from '../results/audit/index.ts';
import type { FindSettings, SweepSettings } from './settings/plan-settings.ts';
import { withNewPrompts } from './prepare/new-prompts.ts';
import { openWords, promptsNeeded } from './prepare/prepare.ts';
import type { OpenPrompts, ServerWords } from './prepare/prepare.ts';

/** What a program brings of its own to an experiment, as values. */
export interface OwnParts {
  /** Where prompts come from instead of the setting `dataset`. Read in one thread. */
  dataset?: Dataset;
  /** When requests come due, whatever becomes of those before: the gaps between them in milliseconds, the first from the start. */
  gapsMs?: readonly number[];
  /** How the server is spoken to instead of the setting `api`; `name` is `custom`. Spoken in one thread. */
  protocol?: Protocol;
  /** Rules of the audit beside its own; their findings stand in the verdict of every point. */
  rules?: readonly PointRule[];
}

/** Everything about them that does not go with the settings, told at once. */
export function checkOwnParts(
  { dataset, gapsMs, protocol }: OwnParts,
  settings: ServerWords & SweepSettings & FindSettings,
  isSimulated: boolean,
): void {
  const mistakes: Mistake[] = [];
  const wrong = (field: string, en: string, zh: string, hintEn: string, hintZh: string): void => {
    mistakes.push(mistake('settings-disagree', en, zh, hintEn, hintZh, { field }));
  };
  const here = (field: string): void => {
    const alone = ['leave it out: one thread carries it', '请去掉：仅由一个线程执行'] as const;
    const en = `a ${field} of one's own lives in this thread alone`;
    const zh = `自定义的 ${field} 只存在于当前线程`;
    if (settings.workers !== undefined) wrong('workers', en, zh, ...alone);
    if (typeof settings.threads === 'number' && settings.threads > 1) wrong('threads', en, zh, ...alone);
  };
  const twice = (field: string): void =>
    wrong(field, 'says the same as what the program brings', '与程序自带的部分重复', 'Leave it out.', '请去掉。');
  if (dataset !== undefined) here('dataset');
  if (protocol !== undefined) here('protocol');
  for (const field of ['dataset', 'inputTokens', 'outputTokens'] as const)
    if (dataset !== undefined && settings[field] !== undefined) twice(field);
  for (const field of ['api', 'wire'] as const)
    if (protocol !== undefined && settings[field] !== undefined) twice(field);
  if (settings.grid !== undefined && (dataset !== undefined || gapsMs !== undefined))
    wrong('grid', 'makes prompts of its own', '长度网格自行生成提示词', 'Leave it out.', '请去掉。');
  if (settings.find !== undefined && gapsMs !== undefined)
    wrong('gapsMs', 'a search sets the load itself', '搜索会自行设定负载', 'Leave it out.', '请去掉。');
  if (protocol !== undefined && isSimulated)
    wrong('protocol', 'nothing is spoken in virtual time', '虚拟时间中没有通信', 'Leave it out.', '请去掉。');
  if (gapsMs !== undefined && !(gapsMs.length > 0 && gapsMs.every((gap) => Number.isFinite(gap) && gap >= 0)))
    wrong('gapsMs', 'is no list of times', '不是时间列表', 'Give numbers from 0.', '请给出不小于 0 的数。');
  if (mistakes.length > 0) throw new UserError(mistakes);
}

/** How the prompts of an experiment are opened; undefined = as its settings say. `isSimulated`: made prompts are the same in every run. */
export function openOwn({ dataset, gapsMs }: OwnParts, isSimulated: boolean): OpenPrompts | undefined {
  if (dataset === undefined && gapsMs === undefined) return undefined;
  return async (asked, points) => {
    const { arrival: _, ...others } = asked;
    const settings = gapsMs === undefined ? asked : others;
    const counted =
      gapsMs === undefined
        ? settings
        : { ...settings, requests: Math.min(settings.requests ?? Infinity, gapsMs.length) };
    if (dataset === undefined) {
      const opened = await openWords(isSimulated ? counted : withNewPrompts(counted), points);
      return { ...opened, gapsMs: gapsMs?.slice(0, counted.requests) ?? opened.gapsMs };
    }
    await dataset.check({ offset: 0, count: promptsNeeded(counted, points) });
    return { dataset, settings: counted, gapsMs: gapsMs?.slice(0, counted.requests) ?? null, reopenable: false };
  };
}
