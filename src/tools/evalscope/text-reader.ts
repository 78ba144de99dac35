import { boxCells, isBoxRule } from '../reading/box-table.ts';
import { normalLabel } from '../reading/fact-key.ts';
import type { DistributionName, FactKey } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import { PointDraft } from '../reading/point-draft.ts';
import type { BlockReader, TextFormat } from '../reading/file-format.ts';
import { evalscopeColumns, evalscopeLabels, statisticOf } from './labels.ts';

const opening = /^\s*Benchmarking summary:\s*$/;
/** Lines of other text inside a block before it is taken to be over. */
const patience = 12;

/** The "Benchmarking summary" block of evalscope (label lines of 0.5, boxed tables since 0.6), and of evalscope-perf. */
export const evalscopeText: TextFormat = {
  tool: 'evalscope',
  opens: (line) => line.includes('Benchmarking summary:') && opening.test(line),
  reader: (complain) => new EvalscopeBlock(complain),
};

class EvalscopeBlock implements BlockReader {
  private draft: PointDraft | null = null;
  private strangers = 0;
  private percentilesOf: DistributionName | null = null;
  /** Header of the percentile table being read: metrics as columns (old) or percentiles as columns (new). */
  private header: string[] | null = null;

  constructor(private readonly complain: Complain) {}

  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine' {
    if (this.draft === null) {
      this.draft = new PointDraft('evalscope', lineNumber);
      return 'more';
    }
    if (opening.test(line)) return 'not-mine';
    const known = this.take(line, lineNumber, this.draft);
    this.strangers = known ? 0 : this.strangers + 1;
    if (this.strangers > patience) return 'not-mine';
    return 'more';
  }

  continues(line: string): boolean {
    const label = normalLabel(line.slice(0, Math.max(0, line.indexOf(':'))));
    if (/^p\d+$/.test(label)) return this.percentilesOf !== null;
    return evalscopeLabels.has(label) || /^percentile of (?:time to first token|request latency)$/.test(label);
  }

  private take(line: string, lineNumber: number, draft: PointDraft): boolean {
    if (line.trim() === '' || isBoxRule(line)) return true;
    const cells = boxCells(line);
    if (cells !== null) return this.takeCells(cells, lineNumber, draft);
    if (line.includes('Metrics: {')) return takeMetricsLine(line, lineNumber, draft);
    const colon = line.indexOf(':');
    if (colon === -1) return false;
    const label = normalLabel(line.slice(0, colon));
    const value = line.slice(colon + 1);
    if (label === 'percentile of time to first token') return this.startPercentiles('ttftMs');
    if (label === 'percentile of request latency') return this.startPercentiles('latencyMs');
    if (/^p\d+$/.test(label) && this.percentilesOf !== null) {
      const statistic = statisticOf(label);
      checkDecimals('percentile', value, lineNumber, this.complain);
      if (statistic !== null)
        draft.putText({ key: `${this.percentilesOf}.${statistic}`, scale: 1000 }, value, lineNumber, this.complain);
      return true;
    }
    return this.takeLabel(label, value.replace(/\bseconds?\s*$/, ''), lineNumber, draft);
  }

  private startPercentiles(name: DistributionName): true {
    this.percentilesOf = name;
    return true;
  }

  private takeLabel(label: string, value: string, lineNumber: number, draft: PointDraft, fixed = true): boolean {
    const meaning = evalscopeLabels.get(label);
    if (meaning === undefined) return false;
    if (fixed) checkDecimals(label, value, lineNumber, this.complain);
    if (meaning.key === 'load.concurrency' || meaning.key === 'load.ratePerSec') {
      if (/^\s*(inf|-1(\.0+)?)\s*$/i.test(value)) return true;
    }
    draft.putText(meaning, value, lineNumber, this.complain);
    return true;
  }

  private takeCells(cells: string[], lineNumber: number, draft: PointDraft): boolean {
    if (cells.length === 2) {
      const label = normalLabel(cells[0]!);
      if (label === 'total / success / failed') return this.takeTriple(cells[1]!, lineNumber, draft);
      if (label === 'key' || label === 'metric' || label.startsWith('──') || cells[1] === '') return true;
      return this.takeLabel(label, cells[1]!, lineNumber, draft, false);
    }
    const first = normalLabel(cells[0]!);
    if (first === 'percentiles' || first === 'percentile' || first === 'metric') {
      this.header = cells;
      return true;
    }
    if (first.startsWith('metric')) this.header = null;
    if (this.header === null) return false;
    if (cells.length !== this.header.length) {
      this.complain(lineNumber, {
        en: 'percentile row with another number of cells than its header',
        zh: '百分位行的列数与表头不一致',
      });
      return true;
    }
    this.takePercentileRow(cells, this.header, lineNumber, draft);
    return true;
  }

  private takePercentileRow(cells: string[], header: string[], lineNumber: number, draft: PointDraft): void {
    const metricsAreRows = normalLabel(header[0]!) === 'metric';
    for (let i = 1; i < cells.length; i++) {
      const column = evalscopeColumns.get(normalLabel(metricsAreRows ? cells[0]! : header[i]!));
      const statistic = statisticOf(metricsAreRows ? header[i]! : cells[0]!);
      if (column === undefined || statistic === null) continue;
      if (/^nan$/i.test(cells[i]!)) continue;
      draft.putText({ key: `${column.name}.${statistic}`, scale: column.scale }, cells[i]!, lineNumber, this.complain);
    }
  }

  private takeTriple(text: string, lineNumber: number, draft: PointDraft): boolean {
    const parts = text.split('/');
    if (parts.length !== 3) {
      this.complain(lineNumber, {
        en: 'total / success / failed does not hold three numbers',
        zh: '总数/成功/失败不是三个数字',
      });
      return true;
    }
    draft.putText({ key: 'counts.ended', scale: 1 }, parts[0]!, lineNumber, this.complain);
    draft.putText({ key: 'counts.ok', scale: 1 }, parts[1]!, lineNumber, this.complain);
    draft.putText({ key: 'counts.failed', scale: 1 }, parts[2]!, lineNumber, this.complain);
    return true;
  }

  end(): PointDraft[] {
    const draft = this.draft;
    if (draft === null) return [];
    if (draft.facts.size < 3) {
      this.complain(draft.line, {
        en: 'Benchmarking summary without figures',
        zh: 'Benchmarking summary 中没有可读的数据',
      });
      return [];
    }
    settleEvalscope(draft);
    return [draft];
  }
}

/** Version 0.5 prints with fixed decimals; a figure with other ones lost or gained a digit on the way. */
const fixedDecimals: ReadonlyMap<string, number> = new Map([
  ['time taken for tests', 3],
  ['expected number of requests', 0],
  ['number of concurrency', 0],
  ['total requests', 0],
  ['succeed requests', 0],
  ['failed requests', 0],
  ['average qps', 3],
  ['average latency', 3],
  ['throughput(average output tokens per second)', 3],
  ['average time to first token', 3],
  ['average input tokens per request', 3],
  ['average output tokens per request', 3],
  ['average time per output token', 5],
  ['average package per request', 3],
  ['average package latency', 3],
  ['percentile', 4],
]);

function checkDecimals(label: string, value: string, line: number, complain: Complain): void {
  const wanted = fixedDecimals.get(label);
  const digits = /^\s*\d+(?:\.(\d+))?\s*$/.exec(value);
  if (wanted === undefined || digits === null || (digits[1] ?? '').length === wanted) return;
  complain(line, {
    en: `"${value.trim()}" does not have the ${wanted} decimals that this line is printed with: a digit may be missing`,
    zh: `"${value.trim()}" 的小数位数不是该行应有的 ${wanted} 位：可能缺少数字`,
  });
}

/** evalscope-perf's closing line repeats three figures: `📌 Metrics: {'Average QPS': 1.487, …}`. */
function takeMetricsLine(line: string, lineNumber: number, draft: PointDraft): boolean {
  for (const [, label, digits] of line.matchAll(/'([^']{1,60})':\s*(\d+(?:\.\d+)?)/g)) {
    const meaning = evalscopeLabels.get(normalLabel(label!));
    if (meaning !== undefined) draft.mention(meaning.key, digits!, lineNumber, 'block');
  }
  return true;
}

/**
 * What all evalscope sources share. Not streamed shows as one package per request, or as a time to first token that equals
 * the latency in every figure: then it is no TTFT, and the distribution is dropped while its digits stay in `printed`.
 */
export function settleEvalscope(draft: PointDraft): void {
  draft.percentileMethod = 'evalscope: one of the sorted values, not interpolated';
  draft.tokenSource = 'server';
  draft.kind =
    draft.get('load.concurrency') !== null ? 'closed' : draft.get('load.ratePerSec') !== null ? 'open' : null;
  const streamed = draft.get('server.streamRequests');
  const packages = draft.get('server.packagesPerRequest');
  if (ttftIsLatency(draft)) draft.stream = false;
  else if (streamed !== null && streamed > 0) draft.stream = true;
  else if (draft.get('server.nonStreamRequests') !== null) draft.stream = false;
  else if (packages !== null) draft.stream = packages > 1;
  else draft.stream = streamedByTtft(draft);
  if (draft.stream === false) for (const name of ['ttftMs', 'tpotMs', 'itlMs'] as const) draft.misnamed.add(name);
  if (isInverseThroughput(draft)) draft.misnamed.add('tpotMs');
}

/** Up to 0.8 "time per output token" is wall clock over all tokens: the inverse of the throughput, no time any request saw. */
function isInverseThroughput(draft: PointDraft): boolean {
  const [tpotMs, rate] = [draft.get('tpotMs.mean'), draft.get('outputTokensPerSec')];
  const [latencyMs, tokens] = [draft.get('latencyMs.mean'), draft.get('outputTokens.mean')];
  if (tpotMs === null || rate === null || latencyMs === null || tokens === null) return false;
  return Math.abs(tpotMs - 1000 / rate) <= 0.006 + 0.001 * tpotMs && tpotMs * tokens < 0.5 * latencyMs;
}

/** A time to first token well below the latency was streamed. */
function streamedByTtft(draft: PointDraft): boolean | null {
  const [ttft, latency] = [draft.get('ttftMs.mean'), draft.get('latencyMs.mean')];
  return ttft !== null && latency !== null && ttft < 0.98 * latency ? true : null;
}

/** A time to first token that equals the latency in every figure printed of both is not one. */
function ttftIsLatency(draft: PointDraft): boolean {
  const keys = [...draft.facts.keys()].filter((key) => key.startsWith('ttftMs.'));
  const twins = keys.map((key) => key.replace('ttftMs', 'latencyMs') as FactKey).filter((key) => draft.facts.has(key));
  return (
    twins.length > 0 &&
    twins.every((key) => draft.digits(key) === draft.digits(key.replace('latencyMs', 'ttftMs') as FactKey))
  );
}
