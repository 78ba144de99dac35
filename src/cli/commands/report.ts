import { exitCodes, mistake, say, userError, UserError } from '../../core/index.ts';
import type { Mistake } from '../../core/index.ts';
import type { MachineFacts, MachineOf } from '../../results/measure/index.ts';
import {
  efficiencyText,
  frontierMarkdown,
  frontierText,
  workersMarkdown,
  workersText,
} from '../../results/report/index.ts';
import { reporters } from '../../lab/index.ts';
import type { Reported, ReportOptions } from '../../results/report/index.ts';
import type { ReporterName } from '../../lab/index.ts';
import { example, valueFlag, last } from '../command.ts';
import type { CommandFile, ParsedCommand } from '../command.ts';
import { chartFlag, fileForms, placeFor, refuseChart, renderForm, writeWhole } from '../render.ts';
import type { FileForm } from '../render.ts';
import { perWorkerFlag, reportOptions, sourcePlace } from '../show.ts';
import { machinesOf, sourcesOf } from '../../lab/index.ts';
import type { ReportSource } from '../../lab/index.ts';

const names = [...Object.keys(reporters), ...fileForms];

export const command: CommandFile = {
  about: {
    en: "Render a run, a sweep or another tool's file in any form. A run that was killed is told from what it had written.",
    zh: '以任意形式输出运行、扫描或其他工具的结果文件。被杀掉的运行按已写入的内容汇报。',
  },
  arguments: [
    {
      name: 'run',
      required: true,
      variadic: true,
      help: {
        en: 'id, the beginning of one, label, tag, path, latest, a file that dyno import reads; points inside: SWEEP/POINT, SWEEP[concurrency=100,variant=A]',
        zh: 'id、id 前缀、标签、标记、路径、latest 或 dyno import 支持的文件；其中的点：SWEEP/POINT、SWEEP[concurrency=100,variant=A]',
      },
    },
  ],
  flags: [
    valueFlag('as', 'FORM', `${names.join(', ')} (default: text)`, `${names.join('、')}（默认：text）`),
    valueFlag(
      'price-per-hour',
      'PRICE',
      'of all cards together: cost per million tokens (text, html)',
      '全部卡每小时价格：计算每百万 token 成本（text、html）',
    ),
    valueFlag('cards', 'N', 'how many cards: tokens per card (text, html)', '卡数：计算单卡吞吐（text、html）'),
    valueFlag(
      'power',
      'WATTS',
      'mean power of all cards: tokens per joule (text, html)',
      '全部卡平均功率：计算每焦耳 token（text、html）',
    ),
    chartFlag,
    perWorkerFlag,
    valueFlag(
      'out',
      'FILE',
      "where to write (default: text forms on stdout, files into the result's folder)",
      '输出文件（默认：文本打印到 stdout，文件写入结果目录）',
    ),
  ],
  examples: [
    example('dyno report latest', 'the newest result', '最新结果'),
    example('dyno report latest --as evalscope', 'as evalscope would have printed it', '以 evalscope 的格式输出'),
    example(
      'dyno report latest --as html --out report.html',
      'one page with charts, tables and audit, for anybody',
      '含图表、数据与审计的单页报告',
    ),
    example('dyno report latest --as png --lang zh', 'the sweep panel as a picture', '扫描面板图'),
    example('dyno report 20261115 --as markdown --lang zh', 'a table to paste into a document', '可粘贴到文档中的表格'),
  ],
  async run(given) {
    const as = last(given, 'as') ?? 'text';
    if (!names.includes(as))
      throw userError(
        'unknown-form',
        `there is no form "${as}"`,
        `没有 "${as}" 这种格式`,
        `Choose one of: ${names.join(', ')}.`,
        `可选：${names.join('、')}。`,
        '--as',
      );
    const told = await sourcesOf(given.args, sourcePlace(given));
    const machineOf = machinesOf(told, machineSaid(given));
    if (told.length === 0) return exitCodes.usage;
    const form = fileForms.find((known) => known === as);
    refuseChart(given, as);
    if (form === undefined || given.common.json) await tellText(given, told, as as ReporterName, machineOf);
    else await tellFile(given, told, form, machineOf);
    return exitCodes.ok;
  },
};

async function tellText(
  given: ParsedCommand,
  told: readonly ReportSource[],
  as: ReporterName,
  machineOf: MachineOf,
): Promise<void> {
  const what: Reported = told.length === 1 ? told[0]!.what : told.map(({ sweep }) => sweep);
  const out = last(given, 'out');
  const options = { ...reportOptions(given, out), machineOf };
  const form = given.common.json ? 'json' : as;
  const sweeps = told.map(({ sweep }) => sweep);
  const cost =
    form === 'text'
      ? efficiencyText(sweeps, machineOf, options) + frontierText(sweeps, machineOf, options)
      : form === 'markdown'
        ? frontierMarkdown(sweeps, machineOf, options)
        : '';
  const perWorker = given.flags.has('per-worker') ? machinesIn(form, told, options) : '';
  const text = reporters[form](what, options) + cost + perWorker;
  if (out === undefined) given.io.out(text);
  else await writeWhole(placeFor(out, null, ''), text);
}

/** The machines behind a result, in the forms that are read by people. */
function machinesIn(form: ReporterName, told: readonly ReportSource[], options: ReportOptions): string {
  const sweeps = told.map(({ sweep }) => sweep);
  if (form === 'markdown') return workersMarkdown(sweeps, options);
  return form === 'text' ? workersText(sweeps, options) : '';
}

async function tellFile(
  given: ParsedCommand,
  told: readonly ReportSource[],
  form: FileForm,
  machineOf: MachineOf,
): Promise<void> {
  const name = form === 'parquet' ? 'exchanges.parquet' : `report.${form}`;
  const file = placeFor(last(given, 'out'), told.length === 1 ? told[0]!.dir : null, name);
  given.io.out(
    `${await writeWhole(file, await renderForm(given, { told, machineOf, chart: last(given, 'chart') }, form))}\n`,
  );
  if (!given.common.quiet) given.io.err(`${say({ en: 'written', zh: '已写入' }, given.common.lang)}\n`);
}

/** What is told of the machine; all mistakes at once. */
function machineSaid(given: ParsedCommand): MachineFacts {
  const mistakes: Mistake[] = [];
  const read = (flag: string): number | null => {
    const word = last(given, flag);
    if (word === undefined) return null;
    if (/^\d+(\.\d+)?$/.test(word) && Number(word) > 0) return Number(word);
    mistakes.push(
      mistake(
        'bad-value',
        `"${word.slice(0, 40)}" is not a number above 0`,
        `"${word.slice(0, 40)}" 不是大于 0 的数`,
        'Write digits, with a point for fractions.',
        '请写数字，小数用点。',
        `--${flag}`,
      ),
    );
    return null;
  };
  const facts = {
    pricePerHour: read('price-per-hour'),
    cards: read('cards'),
    powerW: read('power'),
  };
  if (mistakes.length > 0) throw new UserError(mistakes);
  return facts;
}
