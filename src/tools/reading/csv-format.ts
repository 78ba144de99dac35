import type { CsvRow } from './csv-text.ts';
import type { Complain } from './imported.ts';
import type { PointDraft } from './point-draft.ts';

/** One kind of CSV file. */
export interface CsvFormat {
  tool: string;
  matches(rows: readonly CsvRow[], file: string): boolean;
  read(rows: readonly CsvRow[], complain: Complain): PointDraft[];
}
