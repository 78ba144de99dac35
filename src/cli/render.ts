import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isGrid, say, UserError } from '../core/index.ts';
import type { Summary, Sweep } from '../core/index.ts';
import {
  cdfFigure,
  comparisonFigure,
  comparisonHtml,
  devicesFigure,
  efficiencyHtml,
  figureSvg,
  goodputFigure,
  gridFigure,
  gridHeatFigure,
  htmlReport,
  lengthsFigure,
  overTimeFigure,
  paretoFigure,
  parquet,
  percentilesFigure,
  sweepFigure,
  sweepName,
  timelineFigure,
  tokenTimesFigure,
  xlsx,
  workersHtml,
  workersTitle,
} from '../results/report/index.ts';
import type { Figure, IntervalsOf } from '../results/report/index.ts';
import type { Comparison, MachineFacts } from '../results/measure/index.ts';
import { readExchanges, readTelemetry } from '../results/store/index.ts';
import type { StoredRun } from '../results/store/index.ts';
import { telemetrySeries } from '../client/telemetry/index.ts';
import type { TelemetrySeries } from '../client/telemetry/index.ts';
import type { ParsedCommand } from './command.ts';
import { pageScript } from './page-script.ts';
import { reportOptions } from './show.ts';
import { intervalsOfSources, traceOf, version } from '../lab/index.ts';
import type { ReportSource } from '../lab/index.ts';
import { drawn, nameFor } from './drawn.ts';

/** Forms that are files, by the word of `--as`. */
export const fileForms = ['html', 'svg', 'png', 'xlsx', 'parquet'] as const;
export type FileForm = (typeof fileForms)[number];

const pictureWidth = 1350;

/** What is rendered: one thing, or several side by side with their comparison. */
export interface Rendered {
  told: readonly ReportSource[];
  comparison?: Comparison;
  /** What the machine costs, where told. */
  machine?: MachineFacts;
}

/** The bytes of a file form. */
export async function renderForm(given: ParsedCommand, what: Rendered, form: FileForm): Promise<string | Uint8Array> {
  const { told } = what;
  const [first] = told;
  switch (form) {
    case 'html':
      return pageOf(given, what);
    case 'svg':
    case 'png': {
      const figure = mainFigure(told, await intervalsOfSources(told));
      const svg = await figureSvg(figure, { lang: given.common.lang, theme: 'light', width: pictureWidth });
      return form === 'svg' ? svg : drawn(given, svg);
    }
    case 'xlsx':
      return xlsx(told.length === 1 ? first!.what : told.map(({ sweep }) => sweep), reportOptions(given));
    case 'parquet': {
      const runs = told.flatMap(({ runs: all }) => [...all.values()]);
      if (runs.length !== 1) throw notOneRun(runs.length);
      return parquet(readExchanges(runs[0]!));
    }
  }
}

/** The one picture that stands for a result: the comparison, the sweep panel, or one run over time. */
function mainFigure(told: readonly ReportSource[], intervals: IntervalsOf): Figure {
  const sweeps = told.map(({ sweep }) => sweep);
  if (sweeps.length > 1) return comparisonFigure(sweeps, intervals);
  const [sweep] = sweeps as [Sweep];
  const one = sweep.points.length === 1 ? percentilesFigure(sweep) : null;
  return one ?? gridFigure(sweep) ?? sweepFigure(sweep, intervals);
}

/** Puts the picture of a grid into its folder, as SVG and PNG, and says where. */
export async function keepChart(given: ParsedCommand, sweep: Sweep, dir: string): Promise<void> {
  const figure = gridFigure(sweep);
  if (figure === null) return;
  const svg = await figureSvg(figure, { lang: given.common.lang, theme: 'light', width: pictureWidth });
  await writeWhole(join(dir, 'grid.svg'), svg);
  const file = await writeWhole(join(dir, 'grid.png'), await drawn(given, svg));
  if (!given.common.quiet) given.io.err(`${say({ en: 'chart in', zh: '图表保存于' }, given.common.lang)} ${file}\n`);
}

/** Every figure that the data allow, the most telling first. */
export async function figuresOf(told: readonly ReportSource[]): Promise<Figure[]> {
  const intervals = await intervalsOfSources(told);
  const sweeps = told.map(({ sweep }) => sweep);
  const many = sweeps.length > 1;
  const points = sweeps.flatMap((sweep) => sweep.points);
  const figures: (Figure | null)[] = [];
  if (many) figures.push(comparisonFigure(sweeps, intervals));
  for (const [i, sweep] of sweeps.entries())
    if (sweep.points.length > 1 || !many)
      figures.push(points.length === 1 ? null : named(gridFigure(sweep) ?? sweepFigure(sweep, intervals), i, many));
  const byLoad = sweeps.filter(({ points: list }) => !isGrid(list));
  if (points.length > 1 && byLoad.length > 0) figures.push(tokenTimesFigure(byLoad, intervals), paretoFigure(byLoad));
  for (const [i, sweep] of sweeps.entries()) {
    const more = isGrid(sweep.points) ? [gridHeatFigure(sweep)] : [goodputFigure(sweep), lengthsFigure(sweep)];
    figures.push(...more.map((figure) => figure && named(figure, i, many)));
  }
  // One run is shown from the inside; of several, the one with the highest load.
  if (!many) figures.push(...(await insideFigures(told[0]!)));
  const made = figures.filter((figure) => figure !== null);
  // A point without requests at hand still tells its percentiles.
  const percentiles = made.length === 0 && points.length === 1 ? percentilesFigure(sweeps[0]!) : null;
  return percentiles === null ? made : [percentiles];
}

function named(figure: Figure, index: number, many: boolean): Figure {
  return many ? { ...figure, id: `${figure.id}-${index + 1}` } : figure;
}

async function insideFigures({ sweep, runs }: ReportSource): Promise<(Figure | null)[]> {
  const point = sweep.points.findLast(({ runId }) => runs.has(runId));
  if (point === undefined) return [];
  const trace = await traceOf(runs.get(point.runId)!);
  const sampled = await sampledOf(runs.get(point.runId)!);
  const figures = [
    cdfFigure(point, trace),
    overTimeFigure(point, trace, sampled),
    devicesFigure(point, trace, sampled),
    timelineFigure(point, trace),
  ];
  return sweep.points.length === 1
    ? figures
    : figures.map((figure) => figure && { ...figure, title: atLoad(figure, point) });
}

const mostSampled = 200_000;

/** What was sampled beside a run, for its charts. */
async function sampledOf(run: StoredRun): Promise<TelemetrySeries[]> {
  const lines: Record<string, unknown>[] = [];
  for await (const line of readTelemetry(run)) {
    lines.push(line);
    if (lines.length === mostSampled) break;
  }
  return telemetrySeries(lines);
}

function atLoad({ title }: Figure, { load }: Summary): Figure['title'] {
  const at = load.concurrency ?? load.ratePerSec ?? '';
  return typeof title === 'string' ? `${title} @ ${at}` : { en: `${title.en} @ ${at}`, zh: `${title.zh} @ ${at}` };
}

async function pageOf(given: ParsedCommand, { told, comparison, machine }: Rendered): Promise<string> {
  const cost =
    machine === undefined
      ? null
      : efficiencyHtml(
          told.map(({ sweep }) => sweep),
          machine,
        );
  const workers = workersHtml(told.map(({ sweep }) => sweep));
  const [first] = told;
  const commands = told.flatMap(({ command }) => (command === null ? [] : [`dyno ${command.join(' ')}`]));
  const plans = told.flatMap(({ runs }) => [...runs.values()].map(({ record }) => record));
  return htmlReport({
    title: told.map(({ sweep }) => sweepName(sweep)).join(' vs '),
    sweeps: told.map(({ sweep }) => sweep),
    figures: await figuresOf(told),
    more: [
      ...(comparison === undefined
        ? []
        : [{ id: 'comparison', title: { en: 'Comparison', zh: '对比' }, body: comparisonHtml(comparison) }]),
      ...(workers === null ? [] : [{ id: 'workers', title: workersTitle, body: workers }]),
      ...(cost === null ? [] : [{ id: 'cost', title: { en: 'Cost and efficiency', zh: '成本与效率' }, body: cost }]),
    ],
    environment: told.flatMap(({ environment, sweep }) =>
      environment.map(([name, value]) => [name, told.length > 1 ? `${sweepName(sweep)}: ${value}` : value] as const),
    ),
    repeat: {
      command: commands.length > 0 ? commands.join('; ') : null,
      plan: plans.length === 1 ? plans[0] : plans.length > 0 ? plans : null,
    },
    lang: given.common.lang,
    script: await pageScript(),
    by: `llmdyno ${version}${first?.sweep.points[0]?.startedAt ? ` · ${first.sweep.points[0].startedAt}` : ''}`,
  });
}

/** Where a form goes: --out, else a name of its own in the result's folder, else in the working directory. */
export function placeFor(out: string | undefined, dir: string | null, name: string): string {
  return resolve(out ?? (dir === null ? name : join(dir, name)));
}

/** Writes a file whole or not at all; gives its name, which tells an SVG that stands in for a PNG. */
export async function writeWhole(asked: string, content: string | Uint8Array): Promise<string> {
  const file = nameFor(asked, content);
  const half = `${file}.${process.pid}.part`;
  try {
    await writeFile(half, content);
    await rename(half, file);
    return file;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new UserError({
      code: 'cannot-write',
      message: { en: `cannot be written (${code})`, zh: `无法写入（${code}）` },
      hint: {
        en: 'Choose another file with --out FILE; its folder must exist.',
        zh: '请用 --out 指定其他文件；其目录须已存在。',
      },
      place: { file },
    });
  }
}

function notOneRun(count: number): UserError {
  return new UserError({
    code: 'not-one-run',
    message: {
      en:
        count === 0
          ? 'there are no requests: only a summary was imported'
          : `parquet holds the requests of one run, and these are ${count}`,
      zh: count === 0 ? '没有逐请求数据：仅导入了汇总' : `parquet 保存单个运行的请求，此处有 ${count} 个运行`,
    },
    hint: {
      en: 'Name one run: dyno report SWEEP/RUN --as parquet.',
      zh: '请指定一个运行：dyno report SWEEP/RUN --as parquet。',
    },
    place: { flag: '--as' },
  });
}
