import { aisbenchText } from '../aisbench/text-reader.ts';
import { chunkLog } from './chunk-log.ts';
import { evalscopeOverviewText } from '../evalscope/overview-reader.ts';
import { evalscopeText } from '../evalscope/text-reader.ts';
import { mindieText } from '../mindie/text-reader.ts';
import { servingText } from '../vllm/text-reader.ts';
import { vllm2023Text } from '../vllm/text-of-2023-reader.ts';
import type { CsvFormat, JsonFormat, TextFormat } from './file-format.ts';
import { aiperfCsv } from '../aiperf/csv-reader.ts';
import { aiperfJson } from '../aiperf/json-reader.ts';
import { aisbenchDetailsJson, aisbenchJson } from '../aisbench/json-reader.ts';
import {
  evalscopeArgsJson,
  evalscopeAsideJson,
  evalscopePercentileJson,
  evalscopeSummaryJson,
} from '../evalscope/json-reader.ts';
import { guidellmCsv } from '../guidellm/csv-reader.ts';
import { guidellmJson } from '../guidellm/json-reader.ts';
import { aisbenchCsv, mindieCommonCsv, mindiePerfCsv } from '../mindie/csv-reader.ts';
import { mindieRequestsJson } from '../mindie/requests-reader.ts';
import { pytorchJson, servingJson } from '../vllm/json-reader.ts';
import { tableCsv, tableJson } from './table-files.ts';

/** Log blocks in running text, and kinds of whole files. */
interface FileFormats {
  text: TextFormat;
  json: JsonFormat;
  csv: CsvFormat;
}

/** Of each kind those that a tool writes, in the order in which a file is held against them. */
type ToolFormats = { readonly [K in keyof FileFormats]?: readonly FileFormats[K][] };

/** What the files of each tool look like, by the word of `--format` that admits them. */
const formats = {
  evalscope: {
    text: [evalscopeText, evalscopeOverviewText],
    json: [evalscopeAsideJson, evalscopePercentileJson, evalscopeArgsJson, evalscopeSummaryJson],
  },
  'evalscope-perf': { text: [evalscopeText] },
  vllm: { text: [servingText, vllm2023Text], json: [servingJson, pytorchJson] },
  sglang: { text: [servingText], json: [servingJson] },
  mindie: { text: [mindieText], json: [mindieRequestsJson], csv: [mindiePerfCsv, mindieCommonCsv] },
  aisbench: { text: [aisbenchText], json: [aisbenchJson, aisbenchDetailsJson], csv: [aisbenchCsv] },
  guidellm: { json: [guidellmJson], csv: [guidellmCsv] },
  aiperf: { json: [aiperfJson], csv: [aiperfCsv] },
  'chunk-log': { text: [chunkLog] },
  markdown: { json: [tableJson], csv: [tableCsv] },
} as const satisfies Record<string, ToolFormats>;

/** Words of `--format`. */
export type FormatName = 'auto' | keyof typeof formats;
export const formatNames = ['auto', ...Object.keys(formats)] as readonly FormatName[];

/** The kinds of block or file to look for under a `--format`, each once. */
export function formatsFor<K extends keyof FileFormats>(kind: K, name: FormatName): FileFormats[K][] {
  const tools: readonly ToolFormats[] = name === 'auto' ? Object.values(formats) : [formats[name]];
  return [...new Set(tools.flatMap((tool): readonly FileFormats[K][] => tool[kind] ?? []))];
}
