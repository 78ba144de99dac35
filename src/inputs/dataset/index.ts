/**
 * Where prompts come from: files, traces, made-up text and the questions that ship with llmdyno, opened by the words
 * after `--dataset`; and tokenizers, for lengths and counts before and after a run.
 *
 * A file is read record by record and never held whole unless it is small; it is re-opened to begin again. Nothing is
 * skipped in silence: a record that is no prompt is a UserError with its file and line, before the run (Dataset.check)
 * or, beyond what was checked, when it is read. This room does not decide what is asked when, and sends nothing.
 *
 * Start reading at dataset.ts (the seam) and open-dataset.ts (from spec to dataset); a new format of one prompt per
 * record is one file in formats/ and one line in record-formats.ts, any other source implements Dataset.
 * How bytes become records: unpack.ts, then record.ts (lines, JSON arrays, CSV, Parquet).
 */
export type { Dataset, DatasetOptions, Slice } from './dataset.ts';
export { answersNumber } from './check-answer.ts';
export { getDataset } from './get-dataset.ts';
export type { GetOptions } from './get-dataset.ts';
export { knownDatasets } from './known-datasets.ts';
export { listedDataset } from './listed-dataset.ts';
export { madeKinds } from './made-kinds.ts';
export { datasetKinds, openDataset } from './open-dataset.ts';
export { opensNoFile } from './opens-no-file.ts';
export { packageRoot } from './package-root.ts';
export { recordFormats } from './record-formats.ts';
export { surveyDataset, textOf } from './survey.ts';
export type { Spread } from './survey.ts';
export { openTokenizer } from './tokenizer.ts';
export type { Tokenizer } from './tokenizer.ts';
export { ZstdStream } from './zstd.ts';
