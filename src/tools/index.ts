/**
 * What we know of other tools: their files and logs become the same summaries as our own runs, and our figures become their blocks,
 * tables and files again. One folder per tool: its flags, formats, definitions and dialect, each known once.
 *
 * Pure: opens no file, knows no clock. Numbers keep their printed digits and source line; what a format does not say is
 * null; what cannot be read is reported with its line and the rest goes on. Files are hostile: names are made printable,
 * keys are looked up in tables of ours and never copied, sizes are bounded. Doubts about what was read belong to the audit.
 * Start reading at reading/document-reader.ts (running text: headings, fences, tables, log blocks), then reading/formats.ts
 * (the list of kinds) and one tool, say vllm/. A new tool is a folder, a line there and one in `dialects`.
 */
import { aisbench } from './aisbench/dialect.ts';
import { evalscope } from './evalscope/dialect.ts';
import { mindie } from './mindie/dialect.ts';
import { vllm } from './vllm/dialect.ts';

export { evalscopeBlock, evalscopeFigures, evalscopePercentile } from './evalscope/block.ts';
export type { EvalscopeFigures } from './evalscope/block.ts';
export { dialectOf, evalscopeFlags } from './evalscope/flags.ts';
export type { Dialect } from './evalscope/flags.ts';
export { percentileJson, summaryJson } from './evalscope/json-files.ts';
export { overviewTables } from './evalscope/tables.ts';
export { readForeign } from './foreign-flags.ts';
export type { ForeignTable, ForeignWords } from './foreign-flags.ts';
export {
  badValue,
  choiceOf,
  jsonOf,
  pairsOf,
  realIn,
  realOf,
  requiredOf,
  truthOf,
  wholeOf,
  wholesOf,
} from './foreign-values.ts';
export type { AsMeasured } from './measured.ts';
export { compressed, mindieRequests, mindieRows } from './mindie/figures.ts';
export type { ClientFacts, MindieRequest } from './mindie/figures.ts';
export { mindieFlags } from './mindie/flags.ts';
export { csvText, mindieCells, mindieColumns, mindieCommon, prettyTable } from './mindie/tables.ts';
export { formatNames } from './reading/formats.ts';
export type { FormatName } from './reading/formats.ts';
export { lineImporter } from './reading/import-lines.ts';
export { handedOver, importCsv, importJson, importSqlite } from './reading/import-whole.ts';
export type { DraftFile } from './reading/import-whole.ts';
export type { Imported, ImportedSweep, ImportProblem, Origin } from './reading/imported.ts';
export { joinFiles } from './reading/join-files.ts';
export type { RequestTimes } from './reading/request-course.ts';
export { sniff } from './reading/sniff.ts';
export { servedOf, sumOf } from './served.ts';
export { pythonFloat, vllmBlock, vllmPreamble } from './vllm/block.ts';
export { vllmNamespace } from './vllm/namespace.ts';
export type { VllmBlockOptions } from './vllm/block.ts';
export { vllmFigures, vllmMetrics } from './vllm/figures.ts';
export type { Goodput, VllmMetric } from './vllm/figures.ts';
export { vllm2023Flags, vllmServeFlags } from './vllm/flags.ts';
export { vllmJson } from './vllm/json-files.ts';

/** Reports as other tools print theirs, by the word of `--as`. */
export const dialects = { evalscope, vllm, mindie, aisbench } as const;
