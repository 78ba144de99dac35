import { rename, writeFile, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createHash } from 'node:crypto';
import { isGrid, userError } from '../core/index.ts';
import type { Summary, Sweep } from '../core/index.ts';
import {
  cdfFigure,
  comparisonFigure,
  compareInWords,
  comparisonHtml,
  devicesFigure,
  efficiencyHtml,
  figureSvg,
  frontierFigure,
  frontierHtml,
  goodputFigure,
  gridFigure,
  gridHeatFigure,
  htmlReport,
  lengthsFigure,
  overTimeFigure,
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
import type { Figure, PageScript } from '../results/report/index.ts';
import type { Comparison, MachineOf } from '../results/measure/index.ts';
import { readExchanges, readTelemetry } from '../results/store/index.ts';
import type { StoredRun } from '../results/store/index.ts';
import { telemetrySeries } from '../client/telemetry/index.ts';
import type { TelemetrySeries } from '../client/telemetry/index.ts';
import { remark } from './command.ts';
import type { ParsedCommand } from './command.ts';
import { reportOptions } from './show.ts';
import { anyText, intervalsOfSources, machinesOf, one, traceOf, version } from '../lab/index.ts';
import type { ReportSource } from '../lab/index.ts';
import { drawn, nameFor } from './drawn.ts';

/** Forms that are files, by the word of `--as`. */
export const fileForms = ['html', 'svg', 'png', 'xlsx', 'parquet'] as const;
export type FileForm = (typeof fileForms)[number];

/** Which picture, for every command that draws some. */
export const chartFlag = one(
  'chart NAME',
  anyText,
  'which picture (svg, png): sweep, token-times, frontier, goodput, distribution, over-time … (default: the one that tells most; a wrong name lists all)',
  '绘制哪张图（svg、png）：sweep、token-times、frontier、goodput、distribution、over-time …（默认：最能说明问题的一张；写错时列出全部）',
);

/** A picture is asked for by name in a form that is none. */
export function refuseChart(chart: string | undefined, as: string): void {
  if (chart !== undefined && as !== 'svg' && as !== 'png')
    throw userError(
      'chart-of-a-picture',
      `--as ${as} is no picture`,
      `--as ${as} 不是图片`,
      'Choose --as png or --as svg with --chart.',
      '请与 --as png 或 --as svg 一起使用 --chart。',
      '--chart',
    );
}

const pictureWidth = 1350;

/** What is rendered: one thing, or several side by side with their comparison. */
export interface Rendered {
  sources: readonly ReportSource[];
  comparison?: Comparison;
  /** What is known of the machine behind each point; absent = what is kept with the results. */
  machineOf?: MachineOf;
  /** The picture that is asked for, by its name; absent = the one that tells most. */
  chart?: string | undefined;
}

/** The bytes of a file form. */
export async function renderForm(given: ParsedCommand, what: Rendered, form: FileForm): Promise<string | Uint8Array> {
  const { sources } = what;
  const [first] = sources;
  switch (form) {
    case 'html':
      return pageOf(given, what);
    case 'svg':
    case 'png': {
      const figure = what.chart === undefined ? await mainFigure(sources) : await namedFigure(what, what.chart);
      const svg = await figureSvg(figure, { lang: given.common.lang, theme: 'light', width: pictureWidth });
      return form === 'svg' ? svg : drawn(given, svg);
    }
    case 'xlsx':
      return xlsx(
        sources.length === 1 ? first!.what : sources.map(({ sweep }) => sweep),
        reportOptions(given),
        what.comparison ?? null,
      );
    case 'parquet': {
      const runs = sources.flatMap(({ runs: all }) => [...all.values()]);
      if (runs.length !== 1)
        throw userError(
          'not-one-run',
          runs.length === 0
            ? 'there are no requests: only a summary was imported'
            : `parquet holds the requests of one run, and these are ${runs.length}`,
          runs.length === 0
            ? '没有逐请求数据：仅导入了汇总'
            : `parquet 保存单个运行的请求，此处有 ${runs.length} 个运行`,
          'Name one run: dyno report SWEEP/RUN --as parquet.',
          '请指定一个运行：dyno report SWEEP/RUN --as parquet。',
          '--as',
        );
      return parquet(readExchanges(runs[0]!));
    }
  }
}

/** The one picture that stands for a result: the comparison, the sweep panel, or how the requests of one run spread. */
async function mainFigure(sources: readonly ReportSource[]): Promise<Figure> {
  const intervals = await intervalsOfSources(sources);
  const sweeps = sources.map(({ sweep }) => sweep);
  if (sweeps.length > 1) return gridFigure(...sweeps) ?? comparisonFigure(sweeps, intervals);
  const [sweep] = sweeps as [Sweep];
  if (sweep.points.length === 1) {
    const [spread] = await insideFigures(sources[0]!);
    const figure = spread ?? percentilesFigure(sweep);
    if (figure !== null) return figure;
  }
  return gridFigure(sweep) ?? sweepFigure(sweep, intervals);
}

/** The picture of that name; a mistake lists those that there are. */
async function namedFigure({ sources, machineOf }: Rendered, name: string): Promise<Figure> {
  const figures = await figuresOf(sources, machineOf);
  const found = figures.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const names = figures.map(({ id }) => id).join(', ');
  throw userError(
    'no-such-chart',
    `there is no chart "${name}" of this result`,
    `该结果没有名为 "${name}" 的图`,
    names === '' ? 'Too little is known here for any chart.' : `Choose one of: ${names}.`,
    names === '' ? '数据太少，无法作图。' : `可选：${names}。`,
    '--chart',
  );
}

/** Puts the picture of a grid into its folder, as SVG and PNG, and says where. */
export async function keepChart(given: ParsedCommand, sweep: Sweep, dir: string): Promise<void> {
  const figure = gridFigure(sweep);
  if (figure === null) return;
  const svg = await figureSvg(figure, { lang: given.common.lang, theme: 'light', width: pictureWidth });
  await writeWhole(join(dir, 'grid.svg'), svg);
  const file = await writeWhole(join(dir, 'grid.png'), await drawn(given, svg));
  remark(given, 'chart in', '图表保存于', ` ${file}`);
}

/** Every figure that the data allow, the most telling first. */
export async function figuresOf(
  sources: readonly ReportSource[],
  machineOf: MachineOf = machinesOf(sources),
): Promise<Figure[]> {
  const intervals = await intervalsOfSources(sources);
  const sweeps = sources.map(({ sweep }) => sweep);
  const many = sweeps.length > 1;
  const points = sweeps.flatMap((sweep) => sweep.points);
  const figures: (Figure | null)[] = [];
  if (many) figures.push(gridFigure(...sweeps) ?? comparisonFigure(sweeps, intervals));
  for (const [i, sweep] of sweeps.entries())
    if (sweep.points.length > 1 || !many)
      figures.push(points.length === 1 ? null : named(gridFigure(sweep) ?? sweepFigure(sweep, intervals), i, many));
  const byLoad = sweeps.filter(({ points: list }) => !isGrid(list));
  if (points.length > 1 && byLoad.length > 0)
    figures.push(tokenTimesFigure(byLoad, intervals), frontierFigure(byLoad, machineOf));
  for (const [i, sweep] of sweeps.entries()) {
    const more = isGrid(sweep.points) ? [gridHeatFigure(sweep)] : [goodputFigure(sweep), lengthsFigure(sweep)];
    figures.push(...more.map((figure) => figure && named(figure, i, many)));
  }
  // One run is shown from the inside; of several, the one with the highest load.
  if (!many) figures.push(...(await insideFigures(sources[0]!)));
  const made = figures.filter((figure): figure is Figure => figure !== null && figure.panels.length > 0);
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

async function pageOf(given: ParsedCommand, what: Rendered): Promise<string> {
  const { sources, comparison, machineOf = machinesOf(sources) } = what;
  const sweeps = sources.map(({ sweep }) => sweep);
  const cost = efficiencyHtml(sweeps, machineOf);
  const frontier = frontierHtml(sweeps, machineOf);
  const workers = workersHtml(sweeps);
  const [first] = sources;
  const commands = sources.flatMap(({ command }) => (command === null ? [] : [`dyno ${command.join(' ')}`]));
  const plans = sources.flatMap(({ runs }) => [...runs.values()].map(({ record }) => record));
  return htmlReport({
    title: sources.map(({ sweep }) => sweepName(sweep)).join(' vs '),
    sweeps,
    figures: await figuresOf(sources, machineOf),
    ...(comparison !== undefined && { answers: compareInWords(comparison).map(({ says }) => says), comparison }),
    more: [
      ...(comparison === undefined
        ? []
        : [{ id: 'comparison', title: { en: 'Comparison', zh: '对比' }, body: comparisonHtml(comparison) }]),
      ...(workers === null ? [] : [{ id: 'workers', title: workersTitle, body: workers }]),
      ...(frontier === null
        ? []
        : [
            {
              id: 'frontier',
              title: { en: 'Throughput at a speed per user', zh: '按单用户速度的吞吐量' },
              body: frontier,
            },
          ]),
      ...(cost === null ? [] : [{ id: 'cost', title: { en: 'Cost and efficiency', zh: '成本与效率' }, body: cost }]),
    ],
    environment: sources.flatMap(({ environment, sweep }) =>
      environment.map(([name, value]) => [name, sources.length > 1 ? `${sweepName(sweep)}: ${value}` : value] as const),
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
    throw userError(
      'cannot-write',
      `cannot be written (${code})`,
      `无法写入（${code}）`,
      'Choose another file with --out FILE; its folder must exist.',
      '请用 --out 指定其他文件；其目录须已存在。',
      { file },
    );
  }
}

/** The browser side of HTML reports, as the build left it beside this file. */
async function pageScript(): Promise<PageScript> {
  const code = await readFile(new URL('../page/report-page.js', import.meta.url), 'utf8');
  return { code, sha256: createHash('sha256').update(code).digest('base64') };
}
