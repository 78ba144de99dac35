import { distributionNames, percentileRanks, placesOf, printable, slowRanks } from '../../core/index.ts';
import type { Places, Summary } from '../../core/index.ts';
import { missedOf } from './count-columns.ts';
import { countOf } from './figure-text.ts';
import { isComparison, pointsOf } from './reported.ts';
import type { Reported, Reporter } from './reported.ts';

/** What a cell holds; null = not known. */
export type Cell = string | number | boolean | null;

const engineFacts = ['saturation', 'preemptionsTotal', 'recomputedTokensTotal', 'swappedOutBytesPerCardTotal'] as const;
const statistics = ['mean', 'min', 'max', ...percentileRanks.map((rank) => `p${rank}` as const), 'n'] as const;

/** One row per point; the columns are named as in summary.json and always the same; unknown is an empty cell. */
export const csv: Reporter = (what) => csvOf(rowsOf(what).map(({ cells }) => cells));

/** Rows that all have the columns of the first. */
export function csvOf(rows: readonly Record<string, Cell>[]): string {
  const lines = [
    Object.keys(rows[0] ?? {}).join(','),
    ...rows.map((row) => Object.values(row).map(cellText).join(',')),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** One row per point, by column name; the columns are the same in every row. */
export function rowsOf(what: Reported): { cells: Record<string, Cell> }[] {
  if (isComparison(what))
    return what.flatMap((sweep) =>
      sweep.points.map((point) => ({ cells: rowOf(point, sweep.title ?? sweep.id, placesOf(sweep.points)) })),
    );
  const sweep = what.schema === 'llmdyno.sweep/1' ? (what.title ?? what.id) : null;
  const points = pointsOf(what);
  return points.map((point) => ({ cells: rowOf(point, sweep, placesOf(points)) }));
}

function rowOf(point: Summary, sweep: string | null, places: Places): Record<string, Cell> {
  const placed = (name: string): Cell => places.of(point).get(name) ?? null;
  const cells: Record<string, Cell> = {
    sweep,
    runId: point.runId,
    label: point.label,
    model: point.model,
    tool: point.source.tool,
    simulated: point.simulated,
    simulatedEngine: point.engine === undefined ? null : point.engine.simulated,
    partial: point.partial,
    valid: point.verdict.valid,
    findings: point.verdict.findings.map((finding) => finding.code).join(' '),
    startedAt: point.startedAt,
    engine: point.asked?.engine ?? null,
    variant: placed('variant'),
    settings:
      Object.entries(point.asked?.settings ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(' ') || null,
    input: placed('input'),
    output: placed('output'),
    repetition: placed('repetition'),
    'load.kind': point.load.kind,
    'load.concurrency': point.load.concurrency,
    'load.ratePerSec': point.load.ratePerSec,
    'load.stream': point.load.stream,
  };
  for (const key of ['planned', 'issued', 'ok', 'failed', 'cancelled', 'dropped', 'unaccounted'] as const)
    cells[`counts.${key}`] = countOf(point.counts, key);
  // What people's own tables call failed: the lost ones among them.
  cells.failedOrLost = missedOf(point.counts);
  for (const key of [
    'durationMs',
    'requestsPerSec',
    'inputTokensPerSec',
    'outputTokensPerSec',
    'totalTokensPerSec',
    'inputCharsPerSec',
    'outputCharsPerSec',
    'concurrencyAchieved',
    'cachedInputRatio',
  ] as const)
    cells[key] = point[key];
  cells['goodput.requestsPerSec'] = point.goodput?.requestsPerSec ?? null;
  cells['goodput.ratio'] = point.goodput?.ratio ?? null;
  // What a simulated engine says of itself; the others leave it empty.
  for (const key of engineFacts) cells[`server.${key}`] = factOf(point, key);
  for (const name of distributionNames)
    for (const statistic of statistics) cells[`${name}.${statistic}`] = point[name]?.[statistic] ?? null;
  for (const rank of slowRanks) cells[`userTokensPerSec.p${rank}`] = point.userTokensPerSec?.[`p${rank}`] ?? null;
  return cells;
}

function factOf({ simulated, server }: Summary, key: string): Cell {
  const fact = simulated ? server?.[key] : null;
  return typeof fact === 'string' || typeof fact === 'number' ? fact : null;
}

/** Quoted where needed; text that a spreadsheet would run as a formula is led by an apostrophe. */
function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const plain = printable(cell);
  const safe = /^[=+\-@]/.test(plain) ? `'${plain}` : plain;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
