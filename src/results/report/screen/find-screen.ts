import { cellsOf, padToCells } from '../../../core/index.ts';
import { effortInWords, findInWords, loadFigure, speedAndLimitInWords, whyInWords } from '../sentence/find.ts';
import type { FindResult } from '../sentence/find.ts';
import { missedInWords, promiseVerdicts, promiseWords } from '../sentence/promise.ts';
import { simulationOf } from '../finding-text.ts';
import { keptLines } from './run-screen.ts';
import { frameOf } from './screen.ts';
import type { ScreenOptions } from './screen.ts';

/** A search on one screen of at most twelve lines: the answer, its promises there and where they break, what limits, the probes. */
export function findScreen(found: FindResult, options: ScreenOptions): string {
  return `${[...findLines(found, options), ...keptLines(options, frameOf(options))].join('\n')}\n`;
}

/** The same for a report that goes on with the points. */
export function findLines(found: FindResult, options: ScreenOptions): string[] {
  const frame = frameOf(options);
  const { paint, fold, say: inLang, columns } = frame;
  const answer = inLang(findInWords(found));
  const effort = inLang(effortInWords(found));
  const gap = columns - cellsOf(answer) - cellsOf(effort);
  const head = gap >= 2 ? [`${answer}${' '.repeat(gap)}${effort}`] : [...fold(answer), effort];
  const simulated = found.probes.length === 0 ? null : simulationOf(found.probes[0]!.summary);
  const that = speedAndLimitInWords(found);
  const why = whyInWords(found);
  const probes = found.probes
    .map(
      ({ value, kept, fresh }) =>
        `${loadFigure(value)} ${kept ? '✓' : '✗'}${fresh ? inLang({ en: ' fresh', zh: ' 复测' }) : ''}`,
    )
    .join('   ');
  return [
    ...head.map((line) => (found.value === null ? paint.bad(line) : paint.strong(line))),
    ...(simulated === null ? [] : [paint.warn(`[${inLang(simulated)}]`)]),
    ...promiseRows(found, options),
    ...(that === null ? [] : fold(inLang(that))),
    ...(why === null ? [] : fold(inLang(why))),
    ...fold(probes).slice(0, 2),
  ];
}

/** A row for each promise: what it came to at the answer, and at the least load that breaks one. */
function promiseRows(found: FindResult, options: ScreenOptions): string[] {
  const { paint, say: inLang } = frameOf(options);
  const beyond =
    found.breaksAt === null ? undefined : found.probes.find(({ value, kept }) => value === found.breaksAt && !kept);
  const rows = found.slo.map((one) => {
    const here = promiseWords(one);
    const there = beyond?.summary.slo?.find(({ promise }) => promise === one.promise);
    const broken = there === undefined ? null : promiseWords(there);
    const missed = beyond === undefined || broken?.kept === false ? null : missedInWords(beyond.summary, one.promise);
    const said =
      missed === null
        ? `${broken?.measured} ${inLang(broken?.verdict ?? promiseVerdicts.unknown)}`
        : `${inLang(missed)} ${inLang(promiseVerdicts.broken)}`;
    return {
      kept: here.kept,
      cells: [
        inLang(here.promised),
        `${here.measured} ${inLang(here.verdict)}`,
        broken === null || found.value === null
          ? ''
          : `${inLang({ en: `at ${loadFigure(found.breaksAt!)}: `, zh: `${loadFigure(found.breaksAt!)} 时：` })}${said}`,
      ],
    };
  });
  const widths = [0, 1].map((i) => Math.max(0, ...rows.map(({ cells }) => cellsOf(cells[i]!))));
  return rows.map(({ kept, cells: [name, here, there] }) => {
    const line = `  ${padToCells(name!, widths[0]!)}    ${padToCells(here!, widths[1]!)}    ${there!}`.trimEnd();
    return kept === null ? paint.warn(line) : kept ? line : paint.bad(line);
  });
}
