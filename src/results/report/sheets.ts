import { printable, say } from '../../core/index.ts';
import type { Lang, Phrase, Summary, Sweep } from '../../core/index.ts';
import type { Comparison } from '../measure/index.ts';
import { countColumns } from './count-columns.ts';
import { rowsOf } from './csv.ts';
import type { Cell } from './csv.ts';
import { countOf, secondsOf } from './figure-text.ts';
import { asSweep, pointName, sweepName } from './point-name.ts';
import { isComparison } from './reported.ts';
import type { Reported } from './reported.ts';
import { changeVerdict, changeWords } from './sentence/compare.ts';
import { axisTitle } from './sentence/trend.ts';
import { labels } from './labels.ts';
import type { SheetChart } from './xlsx-chart.ts';

/** How the cells of a column are shown: as they are, a count, a figure with two or three decimals, or a share. */
export type CellFormat = 'plain' | 'count' | 'two' | 'three' | 'percent';

/** A sheet of a workbook: a head, rows, and how each column shows its numbers. */
export interface Sheet {
  name: string;
  head: string[];
  formats: CellFormat[];
  rows: Cell[][];
  /** Below the rows; absent = none. */
  charts?: SheetChart[];
}

/** What a workbook holds: the comparison where it is one, the figures that people read with their units, every figure, and the audit. */
export function sheetsOf(what: Reported, lang: Lang, comparison: Comparison | null): Sheet[] {
  const sweeps = isComparison(what) ? what : [what.schema === 'llmdyno.sweep/1' ? what : asSweep(what)];
  const rows = rowsOf(what);
  const head = Object.keys(rows[0]?.cells ?? {});
  return [
    ...(comparison === null ? [] : [comparisonSheet(comparison, lang)]),
    pointsSheet(sweeps, lang),
    {
      name: say({ en: 'every figure', zh: '全部数值' }, lang),
      head,
      formats: head.map(() => 'plain'),
      rows: rows.map(({ cells }) => Object.values(cells)),
    },
    auditSheet(sweeps, lang),
  ];
}

interface Column {
  name: Phrase;
  format: CellFormat;
  of(point: Summary, sweep: Sweep): Cell;
}

const times = [
  ['ttftMs', 'TTFT', 'TTFT'],
  ['tpotMs', 'TPOT', 'TPOT'],
  ['itlMs', 'ITL', 'ITL'],
  ['latencyMs', 'latency', '延迟'],
] as const;

/** A row for each point; columns of nothing are left out. */
function pointsSheet(sweeps: readonly Sweep[], lang: Lang): Sheet {
  const points = sweeps.flatMap((sweep) => sweep.points.map((point) => ({ sweep, point })));
  const all: Column[] = [
    { name: { en: 'result', zh: '结果' }, format: 'plain', of: (_, sweep) => sweepName(sweep) },
    { name: { en: 'point', zh: '负载点' }, format: 'plain', of: (point, sweep) => pointName(sweep, point) },
    { name: { en: 'model', zh: '模型' }, format: 'plain', of: ({ model }) => model },
    { name: labels.concurrency, format: 'count', of: ({ load }) => load.concurrency },
    { name: { en: 'rate (requests/s)', zh: '速率（请求/s）' }, format: 'two', of: ({ load }) => load.ratePerSec },
    { name: { en: 'usable', zh: '可用' }, format: 'plain', of: ({ verdict }) => verdict.valid },
    { name: { en: 'requests', zh: '请求数' }, format: 'count', of: ({ counts }) => countOf(counts, 'planned') },
    { name: labels.ok, format: 'count', of: ({ counts }) => countOf(counts, 'ok') },
    ...countColumns(points.map(({ point }) => point)).map(({ name, of }): Column => ({ name, format: 'count', of })),
    { name: { en: 'duration (s)', zh: '用时 (s)' }, format: 'two', of: ({ durationMs }) => secondsOf(durationMs) },
    { name: axisTitle('requestsPerSec'), format: 'three', of: ({ requestsPerSec }) => requestsPerSec },
    {
      name: { en: 'output tokens/s', zh: '输出吞吐 (tok/s)' },
      format: 'two',
      of: ({ outputTokensPerSec }) => outputTokensPerSec,
    },
    {
      name: { en: 'total tokens/s', zh: '总吞吐 (tok/s)' },
      format: 'two',
      of: ({ totalTokensPerSec }) => totalTokensPerSec,
    },
    ...times.flatMap(([key, en, zh]) =>
      (['mean', 'p50', 'p90', 'p99'] as const).map((statistic): Column => ({
        name: { en: `${en} ${statistic} (ms)`, zh: `${zh} ${statistic} (ms)` },
        format: 'two',
        of: (point) => point[key]?.[statistic] ?? null,
      })),
    ),
  ];
  const shown = all.filter(({ of }) => points.some(({ sweep, point }) => of(point, sweep) !== null));
  return {
    name: say({ en: 'points', zh: '负载点' }, lang),
    head: shown.map(({ name }) => say(name, lang)),
    formats: shown.map(({ format }) => format),
    rows: points.map(({ sweep, point }) => shown.map(({ of }) => of(point, sweep))),
    charts: chartsOf(
      sweeps,
      shown.map(({ name }) => name.en),
    ),
  };
}

/** Throughput and the time to the first token over the load, a line for each sweep of more than one point. */
function chartsOf(sweeps: readonly Sweep[], names: readonly string[]): SheetChart[] {
  const x = [labels.concurrency.en, 'rate (requests/s)'].map((name) => names.indexOf(name)).find((at) => at !== -1);
  let row = 1;
  const lines = sweeps.flatMap((sweep) => {
    const fromRow = row;
    row += sweep.points.length;
    return sweep.points.length < 2 ? [] : [{ name: sweepName(sweep), fromRow, toRow: row - 1 }];
  });
  if (x === undefined || lines.length === 0) return [];
  const drawn = ['output tokens/s', 'TTFT p99 (ms)', 'TPOT p99 (ms)'].map((name) => names.indexOf(name));
  return drawn.filter((y) => y !== -1).map((y) => ({ x, y, lines }));
}

function auditSheet(sweeps: readonly Sweep[], lang: Lang): Sheet {
  const head: Phrase[] = [
    { en: 'result', zh: '结果' },
    { en: 'point', zh: '负载点' },
    { en: 'severity', zh: '级别' },
    { en: 'code', zh: '代码' },
    { en: 'message', zh: '说明' },
    { en: 'advice', zh: '建议' },
  ];
  return {
    name: say({ en: 'audit', zh: '审计' }, lang),
    head: head.map((one) => say(one, lang)),
    formats: head.map(() => 'plain'),
    rows: sweeps.flatMap((sweep) =>
      sweep.points.flatMap((point) =>
        point.verdict.findings.map((finding): Cell[] => {
          const { message, advice } = lang === 'zh' ? finding.zh : finding;
          return [sweepName(sweep), pointName(sweep, point), finding.severity, finding.code, message, advice];
        }),
      ),
    ),
  };
}

/** A row for each metric, point and candidate, as the table of a comparison has it. */
function comparisonSheet(comparison: Comparison, lang: Lang): Sheet {
  const head: Phrase[] = [
    { en: 'point', zh: '负载点' },
    { en: 'metric', zh: '指标' },
    { en: `baseline: ${printable(comparison.names[0] ?? '')}`, zh: `基线：${printable(comparison.names[0] ?? '')}` },
    { en: 'other', zh: '对比项' },
    { en: 'its figure', zh: '对比值' },
    { en: 'change', zh: '变化' },
    { en: '95 % from', zh: '95% 区间下限' },
    { en: '95 % to', zh: '95% 区间上限' },
    { en: 'verdict', zh: '结论' },
  ];
  return {
    name: say({ en: 'comparison', zh: '对比' }, lang),
    head: head.map((one) => say(one, lang)),
    formats: ['plain', 'plain', 'three', 'plain', 'three', 'percent', 'percent', 'percent', 'plain'],
    rows: comparedCells(comparison, (metric) => say(axisTitle(metric), lang), lang),
  };
}

/** Point, metric, baseline's figure, candidate, its figure, change, interval, verdict: what a table of a comparison holds as numbers. */
export function comparedCells(comparison: Comparison, named: (metric: string) => string, lang: Lang): Cell[][] {
  return comparison.metrics.flatMap((row) =>
    row.changes.map((change, i): Cell[] => [
      row.place ?? row.load,
      named(row.metric),
      row.values[0] ?? null,
      comparison.names[i + 1] ?? null,
      row.values[i + 1] ?? null,
      change.changeRatio,
      change.interval?.[0] ?? null,
      change.interval?.[1] ?? null,
      say(changeWords[changeVerdict(row, change)], lang),
    ]),
  );
}
