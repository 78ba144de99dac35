/**
 * Summaries → what people read: tables for a terminal, markdown, CSV, JSON, JUnit, spreadsheets,
 * charts (chart/), and the one-file HTML report (html/, with its browser side in page/, built apart).
 *
 * Pure: the same summary gives the same text; colour comes in as a painter, nothing is printed here. A renderer never
 * computes a figure, it only chooses digits (those of the source for imported points). What is simulated, partial or
 * not valid says so in every form. Labels, models and findings are a stranger's words: made printable, escaped.
 * Start reading at reported.ts (what can be told), then text.ts; a new form is one file and one line in `ownReporters`.
 */
import { csv } from './csv.ts';
import { json } from './json.ts';
import { junit } from './junit.ts';
import { markdown } from './markdown.ts';
import type { Reporter } from './reported.ts';
import { text } from './text.ts';
import type { Exchange } from '../../core/index.ts';

export * from './chart/index.ts';
export { comparisonIn } from './comparison-forms.ts';
export { efficiencyText } from './efficiency-table.ts';
export { frontierMarkdown, frontierTables, frontierText } from './frontier-table.ts';
export type { FrontierTables } from './frontier-table.ts';
export { findingLines, simulationOf } from './finding-text.ts';
export { folded } from './folded.ts';
export type { PageScript } from './html/html-report.ts';
export { resultPage } from './html/result-page.ts';
export { asSweep, placeTitle, pointName, sweepName } from './point-name.ts';
export { countOf, digitsFor, secondsOf } from './figure-text.ts';
export { plainPainter, pointsOf } from './reported.ts';
export type { Painter, Reported, Reporter, ReportOptions } from './reported.ts';
export { workersMarkdown, workersTable, workersText } from './worker-table.ts';
export { gateWords } from './sentence/gate.ts';
export { missedInWords, promisesInWords } from './sentence/promise.ts';
export { predictionDoubts, predictionWords } from './prediction-text.ts';
export { runScreen, storeTyped } from './screen/run-screen.ts';
export type { ScreenOptions } from './screen/screen.ts';
export { sweepScreen } from './screen/sweep-screen.ts';
export { comparisonScreen } from './screen/compare-screen.ts';
export { findInWords, searchedOf, whyInWords } from './sentence/find.ts';
export type { FindResult } from './sentence/find.ts';
export { trendScreen } from './screen/trend-screen.ts';
export {
  changeVerdict,
  changeWords,
  compareInWords,
  comparedWords,
  placeOf,
  signedPercent,
} from './sentence/compare.ts';
export type { ChangeVerdict } from './sentence/compare.ts';
export { forestOf } from './sentence/forest.ts';
export type { Forest } from './sentence/forest.ts';
export { axisTitle, figureInWords, metricFigure, metricTitle, trendInWords } from './sentence/trend.ts';
export { tuneInWords } from './sentence/tune.ts';
export type { TuneTold } from './sentence/tune.ts';
export { findScreen } from './screen/find-screen.ts';
export { runInWords } from './sentence/run.ts';
export { shortFigure } from './sentence/short-figure.ts';
export { askedInWords } from './sentence/asked.ts';
export { doubtsInWords } from './sentence/doubts.ts';
export type { Doubt } from './sentence/doubts.ts';
export { sweepInWords, withPromises } from './sentence/sweep.ts';
export { boxedTable, tableText } from './table.ts';
export { xlsx } from './xlsx.ts';

/** Every form of our own that is text, by the word of `--as`. */
export const ownReporters = { text, markdown, csv, json, junit } as const satisfies Record<string, Reporter>;

/** Parquet of a run's requests; the writer is loaded when it is first asked for. */
export async function parquet(exchanges: AsyncIterable<Exchange>): Promise<Uint8Array> {
  return (await import('./parquet.ts')).parquet(exchanges);
}
