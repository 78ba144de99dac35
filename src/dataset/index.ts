/**
 * Where prompts come from: files and the questions that ship with llmdyno, opened by the words after `--dataset`.
 *
 * A file is read line by line and never held whole unless it is small; it is re-opened to begin again. Nothing is
 * skipped in silence: a line that is no prompt is a UserError with its file and number, before the run (Dataset.check)
 * or, beyond what was checked, when it is read. This room does not decide what is asked when, and sends nothing.
 *
 * Start reading at dataset.ts (the seam) and open-dataset.ts (from spec to dataset); a new format of one prompt per
 * line is one file and one line in line-formats.ts, any other source implements Dataset.
 */
export type { Dataset, DatasetOptions, Slice } from './dataset.ts';
export { builtinQuestionsSpec } from './builtin-questions.ts';
export { datasetKinds, openDataset } from './open-dataset.ts';
export { packageRoot } from './package-root.ts';
