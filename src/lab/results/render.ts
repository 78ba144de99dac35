import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { printable, userError } from '../../core/index.ts';
import type { Lang, Phrase } from '../../core/index.ts';
import { telemetrySeries } from '../../client/telemetry/index.ts';
import type { Comparison, MachineOf } from '../../results/measure/index.ts';
import {
  everyFigure,
  figureSvg,
  mainFigure,
  parquet,
  resultPage,
  sweepName,
  xlsx,
} from '../../results/report/index.ts';
import type { Drawable, Figure, PageScript, PointRequests } from '../../results/report/index.ts';
import { readExchanges, readTelemetry } from '../../results/store/index.ts';
import { version } from '../version.ts';
import { machinesOf } from './machine.ts';
import { intervalsOfSources, traceOf } from './report-source.ts';
import type { ReportSource } from './report-source.ts';

/** Forms that are files, by the word of `--as`. */
export const fileForms = ['html', 'svg', 'png', 'xlsx', 'parquet'] as const;
export type FileForm = (typeof fileForms)[number];

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

/** In which language, and who is told what a picture lacks. */
export interface RenderOptions {
  lang: Lang;
  warn(phrase: Phrase): void;
}

/** The bytes of a file form. An SVG stands in for a PNG where this host cannot draw: then it is text. */
export async function renderForm(what: Rendered, form: FileForm, options: RenderOptions): Promise<string | Uint8Array> {
  const { sources, comparison = null } = what;
  const { lang } = options;
  switch (form) {
    case 'html':
      return pageOf(what, lang);
    case 'svg':
    case 'png': {
      const figure =
        what.chart === undefined ? mainFigure(await mainDrawable(sources)) : await namedFigure(what, what.chart);
      return pictureOf(figure, pictureWidth, form, options);
    }
    case 'xlsx':
      return xlsx(sources.length === 1 ? sources[0]!.what : sources.map(({ sweep }) => sweep), { lang }, comparison);
    case 'parquet':
      return parquet(readExchanges(onlyRun(sources)));
  }
}

/** A figure as a file, in the colours of a white page. */
export async function pictureOf(
  figure: Figure,
  width: number,
  form: 'svg' | 'png',
  { lang, warn }: RenderOptions,
): Promise<string | Uint8Array> {
  const svg = await figureSvg(figure, { lang, theme: 'light', width });
  return form === 'svg' ? svg : drawn(svg, warn);
}

/**
 * A picture as PNG bytes, or the SVG itself where this host cannot draw: the drawing library is native code, which may be
 * missing or made for another kind of processor. Loaded only when a picture is asked for.
 */
async function drawn(svg: string, warn: RenderOptions['warn']): Promise<Uint8Array | string> {
  const room = await import('../../results/picture/index.ts').catch((error: unknown) => {
    const why = printable(error instanceof Error ? error.message : String(error)).slice(0, 160);
    const host = `${process.platform}-${process.arch}`;
    warn({
      en: `warning: PNG cannot be drawn here, so it is SVG: the native part of @resvg/resvg-js for ${host} is missing (${why}); npm install on this host mends it`,
      zh: `警告：此处无法绘制 PNG，改为 SVG：缺少 ${host} 的 @resvg/resvg-js 原生模块（${why}）；在本机运行 npm install 即可修复`,
    });
    return null;
  });
  if (room === null) return svg;
  const { bytes, missing } = room.pngOf(svg);
  const lacking = printable(missing.slice(0, 20).join(' '));
  if (missing.length > 0)
    warn({
      en: `warning: the picture lacks characters that its font does not have: ${lacking}`,
      zh: `警告：字体缺少以下字符，图片中未显示：${lacking}`,
    });
  return bytes;
}

/** Every figure that the data allow, the most telling first. */
export async function figuresOf(sources: readonly ReportSource[], machineOf = machinesOf(sources)): Promise<Figure[]> {
  const [only] = sources;
  return everyFigure(await drawableOf(sources, sources.length === 1 ? await requestsOf(only!) : null), machineOf);
}

async function mainDrawable(sources: readonly ReportSource[]): Promise<Drawable> {
  const [first] = sources;
  const isOnePoint = sources.length === 1 && first!.sweep.points.length === 1;
  return drawableOf(sources, isOnePoint ? await requestsOf(first!) : null);
}

async function drawableOf(sources: readonly ReportSource[], requests: PointRequests | null): Promise<Drawable> {
  return { sweeps: sources.map(({ sweep }) => sweep), intervals: await intervalsOfSources(sources), requests };
}

const mostSampled = 200_000;

async function requestsOf({ sweep, runs }: ReportSource): Promise<PointRequests | null> {
  const point = sweep.points.findLast(({ runId }) => runs.has(runId));
  if (point === undefined) return null;
  const run = runs.get(point.runId)!;
  const lines: Record<string, unknown>[] = [];
  for await (const line of readTelemetry(run)) {
    lines.push(line);
    if (lines.length === mostSampled) break;
  }
  return { point, trace: await traceOf(run), sampled: telemetrySeries(lines) };
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

function onlyRun(sources: readonly ReportSource[]): { dir: string } {
  const runs = sources.flatMap((source) => [...source.runs.values()]);
  if (runs.length === 1) return runs[0]!;
  throw userError(
    'not-one-run',
    runs.length === 0
      ? 'there are no requests: only a summary was imported'
      : `parquet holds the requests of one run, and these are ${runs.length}`,
    runs.length === 0 ? '没有逐请求数据：仅导入了汇总' : `parquet 保存单个运行的请求，此处有 ${runs.length} 个运行`,
    'Name one run: dyno report SWEEP/RUN --as parquet.',
    '请指定一个运行：dyno report SWEEP/RUN --as parquet。',
    '--as',
  );
}

async function pageOf(what: Rendered, lang: Lang): Promise<string> {
  const { sources, comparison = null, machineOf = machinesOf(sources) } = what;
  return resultPage({
    sweeps: sources.map(({ sweep }) => sweep),
    figures: await figuresOf(sources, machineOf),
    comparison,
    machineOf,
    environment: sources.flatMap(({ environment, sweep }) =>
      environment.map(([name, value]) => [name, sources.length > 1 ? `${sweepName(sweep)}: ${value}` : value] as const),
    ),
    commands: sources.flatMap(({ command }) => (command === null ? [] : [`dyno ${command.join(' ')}`])),
    plans: sources.flatMap(({ runs }) => [...runs.values()].map(({ record }) => record)),
    lang,
    script: await pageScript(),
    version,
  });
}

/** The browser side of HTML reports, as the build left it beside the bundle. */
async function pageScript(): Promise<PageScript> {
  const code = await readFile(new URL('../page/report-page.js', import.meta.url), 'utf8');
  return { code, sha256: createHash('sha256').update(code).digest('base64') };
}

/** The name of a picture's file: an SVG that stands in for a PNG is called what it is. */
export function nameFor(file: string, content: string | Uint8Array): string {
  return typeof content === 'string' ? file.replace(/\.png$/i, '.svg') : file;
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
