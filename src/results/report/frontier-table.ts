import { printable, say } from '../../core/index.ts';
import type { Lang, Phrase, Sweep } from '../../core/index.ts';
import type { MachineOf } from '../measure/index.ts';
import { sizedTogether } from './figure-text.ts';
import { atSpeeds, frontierCurves, missingUnits, speedNames, unitNames } from './frontier-curves.ts';
import type { UnitCurves } from './frontier-curves.ts';
import { both, markup, table, text } from './html/both.ts';
import type { Html } from './html/both.ts';
import { markdownTable } from './markdown.ts';
import { plainPainter } from './reported.ts';
import type { ReportOptions } from './reported.ts';
import { tableText } from './table.ts';

const labels = {
  speed: { en: 'tokens/s per user', zh: '单用户 tok/s' },
  beyond: {
    en: '– is beyond what was measured; between measured points the line is straight.',
    zh: '– 表示超出测量范围；测量点之间按直线插值。',
  },
} as const satisfies Record<string, Phrase>;

/** Throughput at fixed speeds per user, by one unit. */
export interface FrontierTable {
  title: Phrase;
  head: Phrase[];
  rows: string[][];
}

/** The tables of all systems, a unit each; none where nobody has two loads. */
export interface FrontierTables {
  tables: FrontierTable[];
  notes: Phrase[];
}

/** A table for each unit; those without a row are left out. */
export function frontierTables(sweeps: readonly Sweep[], machineOf: MachineOf | undefined): FrontierTables {
  const all = frontierCurves(sweeps, machineOf);
  const tables = all.flatMap((curves): FrontierTable[] => {
    const rows = atSpeeds(curves);
    if (rows.length === 0) return [];
    const title = unitNames[curves.unit];
    const width = rows[0]!.cells.length;
    const sized = sizedTogether(rows.flatMap(({ cells }) => cells));
    return [
      {
        title: { en: `${title.en} at a speed per user`, zh: `${title.zh}，按单用户速度` },
        head: [labels.speed, ...headOf(curves)],
        rows: rows.map(({ speed }, i) => [String(speed), ...sized.slice(i * width, (i + 1) * width)]),
      },
    ];
  });
  if (tables.length === 0) return { tables, notes: [] };
  // Which points are dominated hardly depends on the unit: it is sections once.
  const dominated = dominatedOf(all[0]!);
  const notes = [...(dominated === null ? [] : [dominated]), labels.beyond, ...missingUnits(sweeps, machineOf)];
  return { tables, notes };
}

function headOf({ bySpeed }: UnitCurves): Phrase[] {
  return bySpeed.flatMap(({ speed, curves }) =>
    curves.map(({ name }): Phrase => {
      const users = speedNames[speed];
      if (curves.length === 1) return users;
      return { en: `${printable(name)}: ${users.en}`, zh: `${printable(name)}：${users.zh}` };
    }),
  );
}

function dominatedOf({ bySpeed }: UnitCurves): Phrase | null {
  const curves = bySpeed[0]?.curves ?? [];
  const where = curves.flatMap(({ name, points }) => {
    const loads = points.filter(({ valid, dominated }) => valid && dominated).map(({ load }) => load);
    return loads.length === 0 ? [] : [`${curves.length > 1 ? `${printable(name)} ` : ''}${loads.join(', ')}`];
  });
  if (where.length === 0) return null;
  return {
    en: `Another load gives more for as fast a user, or as much for a faster one: ${where.join('; ')}.`,
    zh: `以下负载有更优的替代（同速更多或同量更快）：${where.join('；')}。`,
  };
}

/** Throughput at fixed speeds per user, for a terminal; empty where nobody has two loads. */
export function frontierText(
  sweeps: readonly Sweep[],
  machineOf: MachineOf | undefined,
  options: ReportOptions,
): string {
  const { lang, columns } = options;
  const paint = options.paint ?? plainPainter;
  const { tables, notes } = frontierTables(sweeps, machineOf);
  if (tables.length === 0) return '';
  const sections = tables.flatMap(({ title, head, rows }) => [
    paint.strong(say(title, lang)),
    tableText(inLang(head, lang), rows, columns),
  ]);
  return `\n${[...sections, ...notes.map((note) => paint.faint(say(note, lang)))].join('\n')}\n`;
}

/** The same as GitHub-flavoured markdown. */
export function frontierMarkdown(
  sweeps: readonly Sweep[],
  machineOf: MachineOf | undefined,
  { lang }: ReportOptions,
): string {
  const { tables } = frontierTables(sweeps, machineOf);
  if (tables.length === 0) return '';
  const sections = tables.map(
    ({ title, head, rows }) => `**${say(title, lang)}**\n\n${markdownTable(inLang(head, lang), rows)}`,
  );
  return `\n${sections.join('\n\n')}\n\n${say(labels.beyond, lang)}\n`;
}

/** The same as a section of a page; null where nobody has two loads. */
export function frontierHtml(sweeps: readonly Sweep[], machineOf: MachineOf | undefined): Html | null {
  const { tables, notes } = frontierTables(sweeps, machineOf);
  if (tables.length === 0) return null;
  const sections = tables.map(({ title, head, rows }) =>
    table(
      title,
      head.map(both),
      rows.map((row) => row.map(text)),
    ),
  );
  return markup`${sections}${notes.map((note) => markup`<p class="faint">${both(note)}</p>`)}`;
}

function inLang(head: readonly Phrase[], lang: Lang): string[] {
  return head.map((phrase) => say(phrase, lang));
}
