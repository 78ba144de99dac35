import { cellsOf, cutToCells, isGrid, joined, padToCells, quotedFigures } from '../../../core/index.ts';
import type { Phrase, Summary, Sweep } from '../../../core/index.ts';
import { missedOf } from '../count-columns.ts';
import { simulationOf } from '../finding-text.ts';
import { gridText } from '../grid-text.ts';
import { placeTitle, pointName } from '../point-name.ts';
import { askedInWords } from '../sentence/asked.ts';
import { doubtsInWords } from '../sentence/doubts.ts';
import { promisesInWords } from '../sentence/promise.ts';
import { shortFigure } from '../sentence/short-figure.ts';
import { sweepInWords } from '../sentence/sweep.ts';
import { keptLines } from './run-screen.ts';
import { doubtLines, frameOf } from './screen.ts';
import type { Frame, ScreenOptions } from './screen.ts';

/** Lines that a sweep of eight points may take; every further point takes one. */
export const sweepScreenLines = 30;
const usualPoints = 8;

/** A sweep on one screen: the load to run at, one row a point, doubts told once, where it is kept. The rest is in sweepText. */
export function sweepScreen(sweep: Sweep, options: ScreenOptions): string {
  const frame = frameOf(options);
  const { paint, fold, say: inLang } = frame;
  const { best, says } = sweepInWords(sweep);
  const simulated = sweep.points.map(simulationOf).find((one) => one !== null) ?? null;
  const answer = [
    ...fold(inLang(askedInWords(sweep.points, options.url ?? null))),
    ...(simulated === null ? [] : [paint.warn(`[${inLang(simulated)}]`)]),
    ...says.flatMap((sentence, i) => fold(inLang(sentence)).map((line) => (i === 0 ? paint.strong(line) : line))),
  ];
  const table = isGrid(sweep.points)
    ? gridText(sweep, { ...options, columns: frame.columns })
        .trimEnd()
        .split('\n')
    : pointTable(sweep, best, frame);
  const kept = keptLines(options, frame);
  const doubts = doubtsInWords([
    ...sweep.points.map((point) => ({ name: pointName(sweep, point), findings: point.verdict.findings })),
    { name: null, findings: sweep.findings },
  ]);
  const lines = sweepScreenLines + Math.max(0, sweep.points.length - usualPoints);
  const room = lines - answer.length - table.length - kept.length - 2;
  const doubted = doubtLines(doubts, Math.max(1, room), frame);
  return `${[...answer, '', ...table, ...(doubted.length > 0 ? ['', ...doubted] : []), ...kept].join('\n')}\n`;
}

interface Column {
  head: string;
  /** As a promise names it. */
  metric: string | null;
  cell(point: Summary): string;
}

const barCells = 10;

/** One row a point; columns of nothing are left out. Figures are of the steady part where a point has one. */
function pointTable(sweep: Sweep, best: Summary | null, { paint, columns, say: inLang }: Frame): string[] {
  const { points } = sweep;
  const tokens = points.some((point) => quotedFigures(point).outputTokensPerSec !== null);
  const rate = (point: Summary) =>
    tokens ? quotedFigures(point).outputTokensPerSec : quotedFigures(point).requestsPerSec;
  const most = Math.max(...points.map((point) => rate(point) ?? 0));
  const all: Column[] = [
    {
      head: tokens ? 'tokens/s' : 'req/s',
      metric: tokens ? 'outputTokensPerSec' : 'requestsPerSec',
      cell: (point) => shortFigure(rate(point)),
    },
    { head: 'TTFT p50', metric: 'ttft.p50', cell: (point) => shortFigure(quotedFigures(point).ttftMs?.p50) },
    { head: 'p99', metric: 'ttft.p99', cell: (point) => shortFigure(quotedFigures(point).ttftMs?.p99) },
    { head: 'TPOT p50', metric: 'tpot.p50', cell: (point) => shortFigure(quotedFigures(point).tpotMs?.p50) },
    { head: 'p99', metric: 'tpot.p99', cell: (point) => shortFigure(quotedFigures(point).tpotMs?.p99) },
    {
      head: inLang({ en: 'latency p99', zh: '延迟 p99' }),
      metric: 'latency.p99',
      cell: (point) => shortFigure(quotedFigures(point).latencyMs?.p99),
    },
    { head: inLang({ en: 'failed', zh: '失败' }), metric: 'failed', cell: (point) => failedCell(point) },
  ];
  const known = all.filter(({ cell, metric }) => metric === 'failed' || points.some((point) => cell(point) !== '–'));
  const marked = points.map((point) =>
    known.map(({ cell, metric }) => `${cell(point)}${broken(point).has(metric ?? '') ? ' !' : ''}`),
  );
  const named = new Set(known.map(({ metric }) => metric));
  const places = points.map((point) => {
    const elsewhere = [...broken(point)].some((metric) => !named.has(metric));
    const marks = `${point.verdict.valid ? '' : ' (!)'}${point.partial ? ' ~' : ''}${elsewhere ? ' !' : ''}`;
    return `${point === best ? '→ ' : '  '}${pointName(sweep, point)}${marks}`;
  });
  const title = `  ${inLang(placeTitle(sweep))}`;
  const widths = known.map(({ head }, i) => Math.max(cellsOf(head), ...marked.map((row) => cellsOf(row[i]!))) + 2);
  const rest = widths.reduce((sum, width) => sum + width, 0);
  const wanted = Math.max(cellsOf(title), ...places.map(cellsOf));
  const place = Math.max(8, Math.min(wanted, columns - rest));
  const bars = columns - place - rest > barCells ? barCells : 0;
  const row = (name: string, cells: readonly string[], bar: string): string =>
    `${padToCells(cutToCells(name, place), place)}${cells.map((cell, i) => `${padToCells(cell, widths[i]!, true)}${i === 0 && bars > 0 ? ` ${padToCells(bar, bars)}` : ''}`).join('')}`;
  return [
    paint.faint(
      row(
        title,
        known.map(({ head }) => head),
        '',
      ),
    ),
    ...points.map((point, i) => {
      const line = row(places[i]!, marked[i]!, barOf((rate(point) ?? 0) / (most || 1), bars - 1)).trimEnd();
      return point === best ? paint.strong(line) : broken(point).size > 0 ? paint.bad(line) : line;
    }),
    paint.faint(inLang(legendOf(points, best))),
  ];
}

/** The metrics of the promises that a point broke. */
function broken(point: Summary): ReadonlySet<string> {
  const missed = promisesInWords(point).filter(({ kept }) => kept === false);
  return new Set(missed.map(({ promised }) => promised.en.split(' ')[0]!));
}

function failedCell({ counts }: Summary): string {
  return String(missedOf(counts) || '–');
}

function legendOf(points: readonly Summary[], best: Summary | null): Phrase {
  const breaks = points.some((point) => broken(point).size > 0);
  const invalid = points.some(({ verdict }) => !verdict.valid);
  const parts: Phrase[] = [
    { en: 'times in ms', zh: '时间单位 ms' },
    ...(points.some(({ steady }) => steady !== null)
      ? [{ en: 'steady part, where there is one', zh: '有稳态段时取稳态段' }]
      : []),
    ...(best === null ? [] : [{ en: '→ best', zh: '→ 最佳' }]),
    ...(breaks ? [{ en: '! breaks a promise', zh: '! 未达标' }] : []),
    ...(invalid ? [{ en: '(!) not valid', zh: '(!) 无效' }] : []),
    ...(points.some(({ partial }) => partial) ? [{ en: '~ partial', zh: '~ 不完整' }] : []),
  ];
  const { en, zh } = joined(parts, ' · ', ' · ');
  return { en: `  ${en}`, zh: `  ${zh}` };
}

const eighths = ' ▏▎▍▌▋▊▉';

function barOf(share: number, cells: number): string {
  if (cells <= 0) return '';
  const whole = Math.floor(share * cells);
  return `${'█'.repeat(whole)}${eighths[Math.floor((share * cells - whole) * 8)]!.trim()}`;
}
