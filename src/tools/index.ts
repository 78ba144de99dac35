/**
 * Other tools' files and logs, handed in as text, lines or bytes, become the same summaries as our own runs.
 *
 * Pure: opens no file, knows no clock. Numbers keep their printed digits and source line; what a format does not say is
 * null; what cannot be read is reported with its line and the rest goes on. Files are hostile: names are made printable,
 * keys are looked up in tables of ours and never copied, sizes are bounded.
 * Start reading at document-reader.ts (running text: headings, fences, tables, log blocks), then formats.ts (the list of
 * kinds); each kind is one file under formats/. Doubts about what was read belong to the audit room.
 */
export { formatNames } from './formats.ts';
export type { FormatName } from './formats.ts';
export { lineImporter } from './import-lines.ts';
export type { LineImporter } from './import-lines.ts';
export { importCsv, importJson, importSqlite } from './import-whole.ts';
export type { DraftFile } from './import-whole.ts';
export type { Imported, ImportedSweep, ImportProblem, Origin } from './imported.ts';
export { joinFiles } from './join-files.ts';
export { sniff } from './sniff.ts';
export type { FileKind } from './sniff.ts';
