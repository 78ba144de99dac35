import { aisbenchText } from '../aisbench/text-reader.ts';
import { chunkLog } from './chunk-log.ts';
import { evalscopeOverviewText } from '../evalscope/overview-reader.ts';
import { evalscopeText } from '../evalscope/text-reader.ts';
import { mindieText } from '../mindie/text-reader.ts';
import { servingText } from '../vllm/text-reader.ts';
import { vllm2023Text } from '../vllm/text-of-2023-reader.ts';
import type { CsvFormat } from './csv-format.ts';
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
import type { JsonFormat } from './json-format.ts';
import type { TextFormat } from './text-format.ts';

/** Words of `--format`; each names the tools whose files it admits. */
export const formatNames = [
  'auto',
  'evalscope',
  'evalscope-perf',
  'vllm',
  'sglang',
  'mindie',
  'aisbench',
  'guidellm',
  'aiperf',
  'chunk-log',
  'markdown',
] as const;
export type FormatName = (typeof formatNames)[number];

/** Log blocks found in running text, one entry per kind. */
export const textFormats = {
  evalscope: [evalscopeText, evalscopeOverviewText],
  'evalscope-perf': [evalscopeText],
  vllm: [servingText, vllm2023Text],
  sglang: [servingText],
  mindie: [mindieText],
  aisbench: [aisbenchText],
  guidellm: [],
  aiperf: [],
  'chunk-log': [chunkLog],
  markdown: [],
} as const satisfies Record<Exclude<FormatName, 'auto'>, readonly TextFormat[]>;

/** The kinds of block to look for under a `--format`. */
export function textFormatsFor(name: FormatName): TextFormat[] {
  return name === 'auto' ? [...new Set<TextFormat>(Object.values(textFormats).flat())] : [...textFormats[name]];
}

/** JSON files, one entry per kind; asked in this order. */
export const jsonFormats = {
  evalscope: [evalscopeAsideJson, evalscopePercentileJson, evalscopeArgsJson, evalscopeSummaryJson],
  'evalscope-perf': [],
  vllm: [servingJson, pytorchJson],
  sglang: [servingJson],
  mindie: [mindieRequestsJson],
  aisbench: [aisbenchJson, aisbenchDetailsJson],
  guidellm: [guidellmJson],
  aiperf: [aiperfJson],
  'chunk-log': [],
  markdown: [tableJson],
} as const satisfies Record<Exclude<FormatName, 'auto'>, readonly JsonFormat[]>;

/** CSV files, one entry per kind. */
export const csvFormats = {
  evalscope: [],
  'evalscope-perf': [],
  vllm: [],
  sglang: [],
  mindie: [mindiePerfCsv, mindieCommonCsv],
  aisbench: [aisbenchCsv],
  guidellm: [guidellmCsv],
  aiperf: [aiperfCsv],
  'chunk-log': [],
  markdown: [tableCsv],
} as const satisfies Record<Exclude<FormatName, 'auto'>, readonly CsvFormat[]>;

/** The kinds of JSON file to look for under a `--format`. */
export function jsonFormatsFor(name: FormatName): JsonFormat[] {
  return name === 'auto' ? [...new Set<JsonFormat>(Object.values(jsonFormats).flat())] : [...jsonFormats[name]];
}

/** The kinds of CSV file to look for under a `--format`. */
export function csvFormatsFor(name: FormatName): CsvFormat[] {
  return name === 'auto' ? [...new Set<CsvFormat>(Object.values(csvFormats).flat())] : [...csvFormats[name]];
}
