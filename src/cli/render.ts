import { join, resolve } from 'node:path';
import { say, userError } from '../core/index.ts';
import type { Sweep } from '../core/index.ts';
import { anyText, one, pictureOf, writeWhole } from '../lab/index.ts';
import type { RenderOptions } from '../lab/index.ts';
import { gridFigure } from '../results/report/index.ts';
import type { Figure } from '../results/report/index.ts';
import { remark } from './command.ts';
import type { ParsedCommand } from './command.ts';

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

/** How a command renders: in its language, and what a picture lacks is told on stderr, also with --quiet. */
export function renderOptions({ common, io }: ParsedCommand): RenderOptions {
  return { lang: common.lang, warn: (phrase) => io.err(`${say(phrase, common.lang)}\n`) };
}

/** Puts a figure into a folder, as SVG and PNG under its name; gives the name of the PNG. */
export async function keepFigure(given: ParsedCommand, figure: Figure, dir: string, width = 1350): Promise<string> {
  const options = renderOptions(given);
  await writeWhole(join(dir, `${figure.id}.svg`), await pictureOf(figure, width, 'svg', options));
  return writeWhole(join(dir, `${figure.id}.png`), await pictureOf(figure, width, 'png', options));
}

/** Puts the picture of a grid into its folder and says where. */
export async function keepGrid(given: ParsedCommand, sweep: Sweep, dir: string): Promise<void> {
  const figure = gridFigure(sweep);
  if (figure !== null) remark(given, 'chart in', '图表保存于', ` ${await keepFigure(given, figure, dir)}`);
}

/** Where a form goes: --out, else a name of its own in the result's folder, else in the working directory. */
export function placeFor(out: string | undefined, dir: string | null, name: string): string {
  return resolve(out ?? (dir === null ? name : join(dir, name)));
}
