/**
 * Measures the measurer: how wrong this client's stamps are and how late it sends, at the load asked for.
 *
 * The server is a stamped one in another process (the embedded engine, or any that writes the time of this host into its events), given by its
 * address; this room never starts one and never imports the engine. It prints nothing, and keeps nothing: who wants the
 * exchanges on disk hands in a function that runs each part.
 * Start at run-selftest.ts (the three parts), then part-tally.ts (what an error is).
 */
export { runSelftest } from './run-selftest.ts';
export type { KeepPart, SelftestReport } from './run-selftest.ts';
export { findServerStamp } from './find-server-stamp.ts';
export { selftestFigure, selftestText } from './selftest-text.ts';
