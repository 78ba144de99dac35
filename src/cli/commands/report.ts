import { UserError } from '../../core/index.ts';
import { reporters } from '../../report/index.ts';
import type { ReporterName } from '../../report/index.ts';
import { findEntry } from '../../store/index.ts';
import { last } from '../command.ts';
import type { CommandFile } from '../command.ts';
import { showStored } from '../show.ts';

const names = Object.keys(reporters) as ReporterName[];

export const command: CommandFile = {
  about: {
    en: 'Render a run or a sweep again, in another form. A run that was killed is told from what it had written.',
    zh: '以其他形式重新输出运行或扫描结果。被杀掉的运行按已写入的内容汇报。',
  },
  arguments: [
    {
      name: 'run',
      required: true,
      help: {
        en: 'id, the beginning of one, label, path, SWEEP/RUN or latest',
        zh: 'id、id 前缀、标签、路径、SWEEP/RUN 或 latest',
      },
    },
  ],
  flags: [
    {
      name: 'as',
      value: 'FORM',
      help: { en: `${names.join(', ')} (default: text)`, zh: `${names.join('、')}（默认：text）` },
    },
  ],
  examples: [
    { line: 'dyno report latest', says: { en: 'the newest result', zh: '最新结果' } },
    {
      line: 'dyno report latest --as evalscope',
      says: { en: 'as evalscope would have printed it', zh: '以 evalscope 的格式输出' },
    },
    {
      line: 'dyno report 20261115 --as markdown --lang zh',
      says: { en: 'a table to paste into a document', zh: '可粘贴到文档中的表格' },
    },
  ],
  async run(given) {
    const as = last(given, 'as') ?? 'text';
    if (!Object.hasOwn(reporters, as)) throw unknownForm(as);
    return showStored(given, await findEntry(given.common.store, given.args[0]!), as as ReporterName);
  },
};

function unknownForm(as: string): UserError {
  return new UserError({
    code: 'unknown-form',
    message: { en: `there is no form "${as}"`, zh: `没有 "${as}" 这种格式` },
    hint: { en: `Choose one of: ${names.join(', ')}.`, zh: `可选：${names.join('、')}。` },
    place: { flag: '--as' },
  });
}
