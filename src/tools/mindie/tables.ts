import { leastOf, mostOf, printable, quantile } from '../../core/index.ts';
import { boxedTable } from '../../results/report/index.ts';
import { ascending } from './figures.ts';
import type { MindieRequest, MindieRow } from './figures.ts';
import { sumOf } from '../served.ts';

/** Names of the statistics, in the order of the columns. */
export const mindieColumns = ['average', 'max', 'min', 'P75', 'P90', 'SLO_P90', 'P99', 'N'] as const;

/** The cells of one row, with their units, as MindIE Benchmark writes them; `/` = not known. */
export function mindieCells(row: MindieRow, requests: number): string[] {
  const { unit, only } = row;
  const n = String(requests);
  if (only !== undefined) return [float(only) + unit, '/', '/', '/', '/', '/', '/', n];
  const values = ascending(row.values);
  if (values.length === 0) return [...Array.from({ length: 7 }, () => `/${unit}`), n];
  const whole = (unit === '' || unit === ' μs') && values.every((value) => Number.isInteger(value));
  // Python prints what it was given: whole numbers stay whole, anything computed has a point.
  const given = (value: number): string => (value === 0 || whole ? String(value) : float(value)) + unit;
  const allZero = values.at(-1) === 0;
  const computed = (value: number): string => (allZero ? '0' : float(value)) + unit;
  const at = (q: number): string => computed(quantile(values, q)!);
  const slo = row.sloP90;
  return [
    computed(sumOf(values, (value) => value) / values.length),
    given(values.at(-1)!),
    given(values[0]!),
    at(0.75),
    at(0.9),
    slo === undefined ? at(0.9) : slo === null ? `/${unit}` : float(slo) + unit,
    at(0.99),
    n,
  ];
}

/** What the common table tells. */
export interface MindieCommon {
  currentTime: string;
  dataSource: string;
  planned: number;
  concurrency: number;
  model: string;
  /** null = answers were not checked. */
  accuracy: number | null;
}

/** The rows of the common table. */
export function mindieCommon(requests: readonly MindieRequest[], common: MindieCommon): [string, string][] {
  const elapsedSec =
    requests.length === 0
      ? 0
      : (mostOf(requests.map(({ endMs }) => endMs)) - leastOf(requests.map(({ startMs }) => startMs))) / 1000;
  const rate = (count: number): number => (elapsedSec === 0 ? 0 : count / elapsedSec);
  const speed = rate(sumOf(requests, (request) => request.generatedTokens));
  const input = sumOf(requests, (request) => request.inputTokens);
  const lpct = input === 0 ? 0 : sumOf(requests, (request) => request.firstTokenMs) / input;
  const failed = common.planned - requests.length;
  const share = (count: number): string => float(common.planned === 0 ? 0 : (count / common.planned) * 100);
  return [
    ['CurrentTime', common.currentTime],
    ['TimeElapsed', `${float(elapsedSec)} s`],
    ['DataSource', printable(common.dataSource)],
    ['Failed', `${failed}( ${share(failed)}% )`],
    ['Returned', `${requests.length}( ${share(requests.length)}% )`],
    ['Total', `${common.planned}[ 100.0% ]`],
    ['Concurrency', String(common.concurrency)],
    ['ModelName', printable(common.model)],
    ['lpct', `${float(lpct)} ms`],
    ['Throughput', `${float(rate(requests.length))} req/s`],
    ['GenerateSpeed', `${float(speed)} token/s`],
    ['GenerateSpeedPerClient', `${float(speed / common.concurrency)} token/s`],
    ['accuracy', common.accuracy === null ? '/' : `${float(common.accuracy * 100)}%`],
  ];
}

/** A table in a box, as one text. */
export function prettyTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${boxedTable(head, rows).join('\n')}\n`;
}

/** Comma-separated, quoted where needed. */
export function csvText(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** Python's round to four decimals, with a point even where nothing stands behind it. */
function float(value: number): string {
  const text = String(Number(value.toFixed(4)));
  return /[.e]/.test(text) ? text : `${text}.0`;
}
