import type { Complain } from './imported.ts';
import type { JsonValue } from './json-text.ts';
import type { PointDraft } from './point-draft.ts';

/** One kind of JSON file. */
export interface JsonFormat {
  tool: string;
  /** Whether the first value of a file is of this kind. `file` is a hint only. */
  matches(value: JsonValue, file: string): boolean;
  read(values: readonly JsonValue[], complain: Complain): PointDraft[];
}
