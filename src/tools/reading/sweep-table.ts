import { printable } from '../../core/index.ts';
import { means, normalLabel } from './fact-key.ts';
import type { FactKey, Meaning } from './fact-key.ts';
import type { Complain } from './imported.ts';
import { readNumber } from './number-text.ts';
import type { PipeTable } from './pipe-table.ts';
import { PointDraft } from './point-draft.ts';
import { evalscopeLabels, statisticOf } from '../evalscope/labels.ts';
import { servingLabels, servingStatistic } from '../vllm/labels.ts';

/** Names that people give to figures in tables of their own; times without a unit are seconds, as evalscope prints them. */
const ownWords: ReadonlyMap<string, Meaning> = new Map([
  ['用时', means('durationMs', 1000)],
  ['耗时', means('durationMs', 1000)],
  ['总用时', means('durationMs', 1000)],
  ['总耗时', means('durationMs', 1000)],
  ['duration', means('durationMs', 1000)],
  ['time', means('durationMs', 1000)],
  ['qps', means('requestsPerSec')],
  ['rps', means('requestsPerSec')],
  ['average qps', means('requestsPerSec')],
  ['请求吞吐量', means('requestsPerSec')],
  ['请求吞吐', means('requestsPerSec')],
  ['requests/s', means('requestsPerSec')],
  ['req/s', means('requestsPerSec')],
  ['延迟', means('latencyMs.mean', 1000)],
  ['平均延迟', means('latencyMs.mean', 1000)],
  ['时延', means('latencyMs.mean', 1000)],
  ['平均时延', means('latencyMs.mean', 1000)],
  ['端到端时延', means('latencyMs.mean', 1000)],
  ['端到端延迟', means('latencyMs.mean', 1000)],
  ['响应时间', means('latencyMs.mean', 1000)],
  ['latency', means('latencyMs.mean', 1000)],
  ['lat', means('latencyMs.mean', 1000)],
  ['lat.', means('latencyMs.mean', 1000)],
  ['e2e latency', means('latencyMs.mean', 1000)],
  ['average latency', means('latencyMs.mean', 1000)],
  ['吞吐量', means('outputTokensPerSec')],
  ['吞吐', means('outputTokensPerSec')],
  ['输出吞吐量', means('outputTokensPerSec')],
  ['输出吞吐', means('outputTokensPerSec')],
  ['生成吞吐量', means('outputTokensPerSec')],
  ['生成吞吐', means('outputTokensPerSec')],
  ['token吞吐量', means('outputTokensPerSec')],
  ['token吞吐', means('outputTokensPerSec')],
  ['throughput', means('outputTokensPerSec')],
  ['toks/s', means('outputTokensPerSec')],
  ['gen. toks/s', means('outputTokensPerSec')],
  ['gen toks/s', means('outputTokensPerSec')],
  ['output toks/s', means('outputTokensPerSec')],
  ['generation throughput', means('outputTokensPerSec')],
  ['tokens/s', means('outputTokensPerSec')],
  ['completion-tokens/s', means('outputTokensPerSec')],
  ['output tokens/s', means('outputTokensPerSec')],
  ['output throughput', means('outputTokensPerSec')],
  ['失败数', means('counts.failed')],
  ['失败', means('counts.failed')],
  ['失败请求数', means('counts.failed')],
  ['failed', means('counts.failed')],
  ['failures', means('counts.failed')],
  ['成功数', means('counts.ok')],
  ['成功请求数', means('counts.ok')],
  ['succeeded', means('counts.ok')],
  ['success', means('counts.ok')],
  ['completed', means('counts.ok')],
  ['总请求数', means('counts.planned')],
  ['请求数', means('counts.planned')],
  ['requests', means('counts.planned')],
  ['num requests', means('counts.planned')],
  ['num prompts', means('counts.planned')],
  ['输出长度', means('outputTokens.mean')],
  ['输入长度', means('inputTokens.mean')],
  ['首token时延', means('ttftMs.mean', 1000)],
  ['首token延迟', means('ttftMs.mean', 1000)],
  ['首字时延', means('ttftMs.mean', 1000)],
  ['首字延迟', means('ttftMs.mean', 1000)],
  ['ttft', means('ttftMs.mean', 1000)],
  ['tpot', means('tpotMs.mean', 1000)],
  ['itl', means('itlMs.mean', 1000)],
]);

/** Counts of tokens that are a request's only where the column says that it is their average. */
const averagedCounts: ReadonlyMap<string, Meaning> = new Map([
  ['output tokens', means('outputTokens.mean')],
  ['output length', means('outputTokens.mean')],
  ['completion tokens', means('outputTokens.mean')],
  ['输出长度', means('outputTokens.mean')],
  ['输出token', means('outputTokens.mean')],
  ['输出token数', means('outputTokens.mean')],
  ['输入token', means('inputTokens.mean')],
  ['输入token数', means('inputTokens.mean')],
  ['input tokens', means('inputTokens.mean')],
  ['input length', means('inputTokens.mean')],
  ['prompt tokens', means('inputTokens.mean')],
  ['输入长度', means('inputTokens.mean')],
]);

const concurrencyWords = new Set([
  '并发',
  '并发数',
  '并行数',
  '并行',
  'concurrency',
  'parallel',
  'parallels',
  'conc',
  'conc.',
  'batch size',
  'number of concurrency',
  'max concurrency',
  'maximum request concurrency',
]);
const rateWords = new Set(['rate', 'request rate', '请求速率', 'request rate (req/s)', 'rps (target)']);
const cornerWords = new Set([
  '指标',
  'metric',
  'metrics',
  '指标名称',
  '项目',
  '并发',
  '并发数',
  '并行数',
  'concurrency',
  'parallel',
]);

/** Whether a column of this name says which load a row was measured at. */
export function isLoadWord(cell: string): boolean {
  const label = normalLabel(cleanCell(cell));
  return concurrencyWords.has(label) || rateWords.has(label);
}

/**
 * The load points a markdown table holds: metrics as rows with one column per load (`| 指标 | 8 | 16 |`), or one row per
 * point. Any other table gives nothing.
 */
export function pointsOfTable(table: PipeTable, complain: Complain): PointDraft[] {
  const drafts = pointsByColumn(table, complain) ?? pointsByRow(table, complain) ?? [];
  if (drafts.length > 0) {
    for (const line of table.raggedLines) {
      complain(line, {
        en: 'table row with another number of cells than its header: left out',
        zh: '表格行的列数与表头不一致，已忽略',
      });
    }
    if (table.cutAtLine !== undefined)
      complain(table.cutAtLine, {
        en: 'the table is too long: the rest is left out',
        zh: '表格过长：其余行已忽略',
      });
  }
  return drafts;
}

function pointsByColumn(table: PipeTable, complain: Complain): PointDraft[] | null {
  const corner = normalLabel(table.header[0] ?? '');
  const loads = table.header.slice(1).map((cell) => readNumber(cell));
  const numbered = loads.length > 0 && loads.every((load) => load !== null && load.unit === '' && load.value > 0);
  if (!numbered && !cornerWords.has(corner)) return null;
  const rows = table.rows.flatMap((row) => {
    const meaning = meaningOf(row.cells[0]!);
    return meaning === null ? [] : [{ row, meaning }];
  });
  if (rows.length === 0 || (!numbered && rows.length < 2)) return null;
  return loads.map((load, column) => {
    const draft = new PointDraft('table', table.line, 'table');
    if (numbered && load !== null) {
      draft.put(rateWords.has(corner) ? means('load.ratePerSec') : means('load.concurrency'), {
        value: load.value,
        digits: load.digits,
        line: table.line,
      });
      draft.kind = rateWords.has(corner) ? 'open' : 'closed';
    } else {
      draft.label = printable(table.header[column + 1]!).slice(0, 200);
      draft.variant = draft.label;
    }
    for (const { row, meaning } of rows) draft.putText(meaning, cleanCell(row.cells[column + 1]!), row.line, complain);
    return draft;
  });
}

function pointsByRow(table: PipeTable, complain: Complain): PointDraft[] | null {
  const columns = table.header.map((cell) => meaningOf(cell));
  const first = normalLabel(table.header[0] ?? '');
  const load = concurrencyWords.has(first)
    ? means('load.concurrency')
    : rateWords.has(first)
      ? means('load.ratePerSec')
      : null;
  const known = columns.filter((meaning) => meaning !== null && !meaning.key.startsWith('load.')).length;
  if (known < (load === null ? 2 : 1)) return null;
  const drafts: PointDraft[] = [];
  for (const row of table.rows) {
    const draft = new PointDraft('table', row.line, 'table');
    if (load !== null) {
      draft.putText(load, cleanCell(row.cells[0]!), row.line, complain);
      draft.kind = load.key === 'load.concurrency' ? 'closed' : 'open';
    } else if (columns[0] === null) {
      draft.label = printable(row.cells[0]!).slice(0, 200);
      draft.variant = draft.label;
    }
    columns.forEach((meaning, i) => {
      if (meaning !== null && !(i === 0 && load !== null))
        draft.putText(meaning, cleanCell(row.cells[i]!), row.line, complain);
    });
    if (draft.facts.size >= 1 + (load === null ? 0 : 1)) drafts.push(draft);
  }
  return drafts.length === 0 ? null : drafts;
}

/** Emphasis and code marks that people put around a figure. */
function cleanCell(cell: string): string {
  return cell.replaceAll(/\*\*|__|`|~~/g, '').trim();
}

function meaningOf(cell: string): Meaning | null {
  const label = normalLabel(cleanCell(cell));
  const plain =
    ownWords.get(label) ?? evalscopeLabels.get(label) ?? servingLabels.get(label) ?? servingStatistic(label);
  if (plain !== undefined) return plain;
  // People put blanks around foreign words in Chinese, or do not.
  const joined = /\p{Script=Han}/u.test(label) ? label.replaceAll(' ', '') : label;
  return wordOf(label) ?? withUnit(label) ?? wordOf(joined) ?? withUnit(joined);
}

/** A word as people put it: "p90", "P90 latency", "latency p90", "avg latency", "mean TTFT". */
function wordOf(label: string): Meaning | null {
  const own = ownWords.get(label);
  if (own !== undefined) return own;
  const ranked = /^(?:(.+?) ?)?\b(p\d+)(?: ?(.+))?$/.exec(label);
  if (ranked !== null) {
    const statistic = statisticOf(ranked[2]!);
    const of = ranked[1] ?? ranked[3] ?? 'latency';
    const base = ranked[1] !== undefined && ranked[3] !== undefined ? undefined : ownWords.get(of);
    if (statistic === null || base === undefined || !base.key.endsWith('Ms.mean')) return null;
    return means(`${base.key.slice(0, -'.mean'.length)}.${statistic}` as FactKey, base.scale);
  }
  const averaged = /^(?:(?:avg|average|mean)[. ]+|平均)(.+)$/.exec(label)?.[1];
  if (averaged === undefined) return null;
  if (averagedCounts.has(averaged)) return averagedCounts.get(averaged)!;
  const base = ownWords.get(averaged);
  return base?.key.endsWith('.mean') === true ? base : null;
}

/** "延迟 (秒)", "latency (ms)", "p99 (s)", "mean latency ms", "吞吐量 (tokens/s)": the word, and the unit it is given in. */
function withUnit(label: string): Meaning | null {
  const match =
    /^(.+?)\s*[([]\s*(s|ms|秒|毫秒|sec|seconds|toks?\/s|tokens?\/s|tokens?\/秒|req\/s|次\/秒)\s*[)\]]$/.exec(label) ??
    /^(.+?) (s|ms)$/.exec(label);
  if (match === null) return null;
  const base = wordOf(match[1]!);
  if (base === null) return null;
  const timed = base.scale === 1000;
  const unit = match[2]!;
  if (!timed) return unit.includes('/') ? base : null;
  if (unit === 'ms' || unit === '毫秒') return means(base.key, 1);
  return unit.includes('/') ? null : base;
}
