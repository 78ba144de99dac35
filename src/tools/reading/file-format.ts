import type { CsvRow } from './csv-text.ts';
import type { Complain } from './imported.ts';
import type { JsonValue } from './json-text.ts';
import type { PointDraft } from './point-draft.ts';

/** One kind of JSON file. */
export interface JsonFormat {
  /** The tool, as it stands in summary.source. */
  tool: string;
  /** Whether the first value of a file is of this kind. `file` is a hint only. */
  matches(value: JsonValue, file: string): boolean;
  read(values: readonly JsonValue[], complain: Complain): PointDraft[];
}

/** One kind of CSV file. */
export interface CsvFormat {
  tool: string;
  matches(rows: readonly CsvRow[]): boolean;
  read(rows: readonly CsvRow[], complain: Complain): PointDraft[];
}

/** One kind of log block in running text. */
export interface TextFormat {
  tool: string;
  /** Whether a line opens a block of this kind. Must be cheap: it is asked for every line. */
  opens(line: string): boolean;
  /** A reader; the opening line is fed to it first. */
  reader(complain: Complain): BlockReader;
}

/** Takes the lines of one block; `done` = the line was the last, `not-mine` = the block ended before this line. */
export interface BlockReader {
  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine';
  /** Whether a line in a fence of its own is the next one of this block: people cut a long one in two. Absent = never. */
  continues?(line: string): boolean;
  /** The points of the block; called once, after the last line. */
  end(): PointDraft[];
}
