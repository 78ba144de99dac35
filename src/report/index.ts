/**
 * Summaries → text: our own tables for a terminal, evalscope's dialect, markdown, CSV, JSON.
 *
 * Pure: the same summary gives the same text; colour comes in as a painter, nothing is printed here. A renderer never
 * computes a figure, it only chooses digits (those of the source for imported points). What is simulated, partial or
 * not valid says so in every form. Labels, models and findings are a stranger's words: made printable, escaped.
 * Start reading at reported.ts (what can be told), then text.ts; a new form is one file and one line in `reporters`.
 */
import { csv } from './csv.ts';
import { evalscope } from './evalscope.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import type { Reporter } from './reported.ts';
import { text } from './text.ts';

export { comparisonText } from './comparison-text.ts';
export { findingLines } from './finding-text.ts';
export { plainPainter } from './reported.ts';
export type { Painter, Reported, Reporter, ReportOptions } from './reported.ts';
export { sweepText } from './sweep-text.ts';
export { tableText } from './table.ts';
export { summaryText } from './text.ts';

/** Every form a result can be told in, by the word of `--as`. */
export const reporters = { text, evalscope, markdown, csv, json } as const satisfies Record<string, Reporter>;

/** A word of `--as`. */
export type ReporterName = keyof typeof reporters;
