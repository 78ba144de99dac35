import { ownReporters } from '../../results/report/index.ts';
import type { Reporter } from '../../results/report/index.ts';
import { dialects } from '../../tools/index.ts';

/** Every form that is text, by the word of `--as`: our own and other tools'. */
export const reporters = {
  text: ownReporters.text,
  ...dialects,
  markdown: ownReporters.markdown,
  csv: ownReporters.csv,
  json: ownReporters.json,
  junit: ownReporters.junit,
} as const satisfies Record<string, Reporter>;

/** A word of `--as`. */
export type ReporterName = keyof typeof reporters;
