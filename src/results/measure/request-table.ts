import { inputTokensOf, outputTokensOf } from '../../core/index.ts';
import type { Exchange, Outcome } from '../../core/index.ts';
import { makeColumn } from './column.ts';
import type { Column, Shelf } from './column.ts';

/** What is kept of each measured request; NaN stands for null inside the columns. */
export interface RequestTable {
  due: Column;
  sent: Column;
  end: Column;
  firstOutput: Column;
  firstAnswer: Column;
  inputTokens: Column;
  outputTokens: Column;
  cachedTokens: Column;
  /** Mean gap between tokens of the request. */
  meanGap: Column;
  /** Index into outcomes. */
  outcome: Column;
}

/** The outcomes in the order of their numbers in the outcome column. */
export const outcomes = ['ok', 'failed', 'cancelled', 'dropped'] as const satisfies readonly Outcome[];

/** The number of `ok` in the outcome column. */
export const okOutcome = 0;

/** A table with no rows; with a shelf its rows do not stay in memory. */
export function makeRequestTable(shelf: Shelf | null = null): RequestTable {
  return {
    due: makeColumn(shelf),
    sent: makeColumn(shelf),
    end: makeColumn(shelf),
    firstOutput: makeColumn(shelf),
    firstAnswer: makeColumn(shelf),
    inputTokens: makeColumn(shelf),
    outputTokens: makeColumn(shelf),
    cachedTokens: makeColumn(shelf),
    meanGap: makeColumn(shelf),
    outcome: makeColumn(shelf),
  };
}

/** Adds one request; `meanGapMs` is null where it has no gap. */
export function addRequest(table: RequestTable, exchange: Exchange, meanGapMs: number | null): void {
  const { chunks } = exchange;
  const answerAt = chunks.kinds.indexOf('a');
  table.due.push(exchange.dueMs);
  table.sent.push(exchange.sentMs ?? NaN);
  table.end.push(exchange.endMs);
  table.firstOutput.push(chunks.atMs[0] ?? NaN);
  table.firstAnswer.push(answerAt < 0 ? NaN : (chunks.atMs[answerAt] ?? NaN));
  table.inputTokens.push(inputTokensOf(exchange) ?? NaN);
  table.outputTokens.push(outputTokensOf(exchange) ?? NaN);
  table.cachedTokens.push(exchange.cachedTokens ?? NaN);
  table.meanGap.push(meanGapMs ?? NaN);
  table.outcome.push(outcomes.indexOf(exchange.outcome));
}

/** Adds all rows of another table. */
export function appendRequests(table: RequestTable, other: RequestTable): void {
  for (const name of Object.keys(table) as (keyof RequestTable)[]) table[name].append(other[name]);
}

/** Gives all rows up. */
export function clearRequests(table: RequestTable): void {
  for (const column of Object.values(table) as Column[]) column.clear();
}

/** A value of each row, NaN where it is not known. */
export type RowValue = (table: RequestTable, row: number) => number;

/** The per-request times and speeds, each as a formula over the columns. */
export const rowValues = {
  latencyMs: (t, i) => t.end.at(i) - t.sent.at(i),
  ttftMs: (t, i) => t.firstOutput.at(i) - t.sent.at(i),
  timeToAnswerMs: (t, i) => t.firstAnswer.at(i) - t.sent.at(i),
  tpotMs: (t, i) => {
    const gaps = t.outputTokens.at(i) - 1;
    return gaps > 0 ? (t.end.at(i) - t.firstOutput.at(i)) / gaps : NaN;
  },
  latencyFromDueMs: (t, i) => t.end.at(i) - t.due.at(i),
  ttftFromDueMs: (t, i) => t.firstOutput.at(i) - t.due.at(i),
  latenessMs: (t, i) => t.sent.at(i) - t.due.at(i),
  meanGapMs: (t, i) => t.meanGap.at(i),
  inputTokens: (t, i) => t.inputTokens.at(i),
  outputTokens: (t, i) => t.outputTokens.at(i),
  userTokensPerSec: (t, i) => {
    const latencyMs = t.end.at(i) - t.sent.at(i);
    return latencyMs > 0 ? (t.outputTokens.at(i) * 1000) / latencyMs : NaN;
  },
} satisfies Record<string, RowValue>;

/** The known values of the rows that pass the test. */
export function collect(table: RequestTable, value: RowValue, passes: (row: number) => boolean): Float64Array {
  const values = makeColumn();
  for (let row = 0; row < table.sent.length; row++) {
    if (!passes(row)) continue;
    const one = value(table, row);
    if (!Number.isNaN(one)) values.push(one);
  }
  return values.toArray();
}
