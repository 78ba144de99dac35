/**
 * Run folders: plan.json before the first byte, exchanges appended as they finish, summary.json at the end.
 *
 * Crash-safe: records are append-only lines, whole documents are renamed into place, so a killed run leaves a folder
 * that reads. Files are hostile: shapes are checked, words of the user never lead out of the store, nothing but a run,
 * sweep or search folder is ever deleted, and a disk that fails is told, not swallowed. The room computes nothing.
 * Start reading at run-writer.ts and run-reader.ts; find-entry.ts says what a word means; schema/ has the shapes.
 */
export { syncFile } from './sync-file.ts';
export { letRead, storeModes } from './store-modes.ts';
export { answerBytes, exchangeBytes } from './exchange-line.ts';
export { deleteRun } from './delete-run.ts';
export { holderOf, lockFolder } from './folder-lock.ts';
export type { FolderLock, LockHolder } from './folder-lock.ts';
export { setFacts } from './facts.ts';
export type { EntryFacts } from './facts.ts';
export { findEntry, findWhatever, labelOf } from './find-entry.ts';
export { hostFacts } from './host-facts.ts';
export { exists, writeJsonFile } from './json-file.ts';
export { identityOf, isSameProcess } from './process-identity.ts';
export type { ProcessIdentity } from './process-identity.ts';
export { newRunId } from './run-id.ts';
export { listRuns } from './list-runs.ts';
export type { ListedEntry, ListFilter } from './list-runs.ts';
export { saveImportedSweep } from './save-imported.ts';
export type { ImportedRecord } from './save-imported.ts';
export { openRun, readAnswers, readExchanges, readSummary, readTelemetry } from './run-reader.ts';
export type { ReadingReport, RecordStream } from './run-reader.ts';
export { resumeRun, takeUp } from './resume-run.ts';
export type { Unfinished } from './resume-run.ts';
export { exchangeAt, scanExchanges } from './scan-exchanges.ts';
export type { Scanned, ScannedRow } from './scan-exchanges.ts';
export { rewriteExchanges } from './rewrite-exchanges.ts';
export { isSafeName } from './run-id.ts';
export { createRun } from './run-writer.ts';
export type { NewRun, RunWriter } from './run-writer.ts';
export { jsonSchemas, runRecordSchema, summarySchema, sweepRecordSchema, sweepSchema } from './schema/index.ts';
export type { HostFacts, JsonSchemaName, RunRecord, SweepRecord } from './schema/index.ts';
export { makeSlabShelf } from './spill-file.ts';
export type { BrokenEntry, StoredEntry, StoredRun, StoredSweep } from './stored-entry.ts';
export type { StoredTune } from './stored-tune.ts';
export { createSweep, newSweepId, openSweep, readSweep, resumeSweep } from './sweep.ts';
export type { NewSweep, OpenedSweep, SweepWriter } from './sweep.ts';
export { readPointTags, readTags } from './read-tags.ts';
export { tagPoints, tagRun } from './tags.ts';
