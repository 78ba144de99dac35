import { exitCodes, userError } from '../../core/index.ts';
import {
  efficiencyText,
  frontierMarkdown,
  frontierText,
  workersMarkdown,
  workersText,
} from '../../results/report/index.ts';
import type { ReportOptions } from '../../results/report/index.ts';
import {
  anyText,
  fileForms,
  machinesOf,
  one,
  realNumber,
  renderForm,
  reporters,
  sourcesOf,
  writeWhole,
} from '../../lab/index.ts';
import type { FileForm, Rendered, ReporterName, ReportSource } from '../../lab/index.ts';
import { argument, example, makeCommand, remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { chartFlag, placeFor, refuseChart, renderOptions } from '../render.ts';
import { perWorkerFlag, reportOptions, sourcePlace } from '../show.ts';

const names = [...Object.keys(reporters), ...fileForms];

export const command = makeCommand({
  about: {
    en: "Render a run, a sweep or another tool's file in any form. A run that was killed is told from what it had written.",
    zh: '以任意形式输出运行、扫描或其他工具的结果文件。被杀掉的运行按已写入的内容汇报。',
  },
  arguments: [
    argument(
      '<run...>',
      'id, the beginning of one, label, tag, path, latest, a file that dyno import reads; points inside: SWEEP/POINT, SWEEP[concurrency=100,variant=A]',
      'id、id 前缀、标签、标记、路径、latest 或 dyno import 支持的文件；其中的点：SWEEP/POINT、SWEEP[concurrency=100,variant=A]',
    ),
  ],
  flags: {
    as: one('as FORM', anyText, `${names.join(', ')} (default: text)`, `${names.join('、')}（默认：text）`),
    pricePerHour: one(
      'price-per-hour PRICE',
      realNumber(0, Infinity, true),
      'of all cards together: cost per million tokens (text, html)',
      '全部卡每小时价格：计算每百万 token 成本（text、html）',
    ),
    cards: one(
      'cards N',
      realNumber(0, Infinity, true),
      'how many cards: tokens per card (text, html)',
      '卡数：计算单卡吞吐（text、html）',
    ),
    power: one(
      'power WATTS',
      realNumber(0, Infinity, true),
      'mean power of all cards: tokens per joule (text, html)',
      '全部卡平均功率：计算每焦耳 token（text、html）',
    ),
    chart: chartFlag,
    perWorker: perWorkerFlag,
    out: one(
      'out FILE',
      anyText,
      "where to write (default: text forms on stdout, files into the result's folder)",
      '输出文件（默认：文本打印到 stdout，文件写入结果目录）',
    ),
  },
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
  async run(given, { as = 'text', out, chart, pricePerHour = null, cards = null, power: powerW = null }) {
    if (!names.includes(as))
      throw userError(
        'unknown-form',
        `there is no form "${as}"`,
        `没有 "${as}" 这种格式`,
        `Choose one of: ${names.join(', ')}.`,
        `可选：${names.join('、')}。`,
        '--as',
      );
    const sources = await sourcesOf(given.args, sourcePlace(given));
    if (sources.length === 0) return exitCodes.usage;
    const what = { sources, machineOf: machinesOf(sources, { pricePerHour, cards, powerW }), chart };
    const form = fileForms.find((known) => known === as);
    refuseChart(chart, as);
    if (form === undefined || given.common.json) await tellText(given, what, as as ReporterName, out);
    else await tellFile(given, what, form, out);
    return exitCodes.ok;
  },
});

async function tellText(
  given: ParsedCommand,
  { sources, machineOf }: Required<Pick<Rendered, 'sources' | 'machineOf'>>,
  as: ReporterName,
  out: string | undefined,
): Promise<void> {
  const options = { ...reportOptions(given, out), machineOf };
  const form = given.common.json ? 'json' : as;
  const sweeps = sources.map(({ sweep }) => sweep);
  const cost =
    form === 'text'
      ? efficiencyText(sweeps, machineOf, options) + frontierText(sweeps, machineOf, options)
      : form === 'markdown'
        ? frontierMarkdown(sweeps, machineOf, options)
        : '';
  const perWorker = given.flags.has('per-worker') ? machinesIn(form, sources, options) : '';
  const text = reporters[form](sources.length === 1 ? sources[0]!.what : sweeps, options) + cost + perWorker;
  if (out === undefined) given.io.out(text);
  else await writeWhole(placeFor(out, null, ''), text);
}

/** The machines behind a result, in the forms that are read by people. */
function machinesIn(form: ReporterName, sources: readonly ReportSource[], options: ReportOptions): string {
  const sweeps = sources.map(({ sweep }) => sweep);
  if (form === 'markdown') return workersMarkdown(sweeps, options);
  return form === 'text' ? workersText(sweeps, options) : '';
}

async function tellFile(given: ParsedCommand, what: Rendered, form: FileForm, out: string | undefined): Promise<void> {
  const name = form === 'parquet' ? 'exchanges.parquet' : `report.${form}`;
  const file = placeFor(out, what.sources.length === 1 ? what.sources[0]!.dir : null, name);
  given.io.out(`${await writeWhole(file, await renderForm(what, form, renderOptions(given)))}\n`);
  remark(given, 'written', '已写入');
}
