import type { CsvFormat } from '../reading/file-format.ts';
import type { CsvRow } from '../reading/csv-text.ts';
import { raggedRow } from '../reading/imported.ts';
import type { Complain } from '../reading/imported.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { settleAisbench } from '../aisbench/text-reader.ts';
import { isPerfMetric, putCommon, putPerfCell } from './meaning.ts';
import { settleMindie } from './text-reader.ts';

/** MindIE's `result_perf_*.csv`: metrics as columns, statistics as rows (or the other way round). */
export const mindiePerfCsv: CsvFormat = {
  tool: 'mindie',
  matches: (rows) =>
    rows.length > 1 && cellsOf(rows).includes('FirstTokenTime') && cellsOf(rows).includes('GenerateTime'),
  read(rows, complain) {
    const draft = new PointDraft('mindie', 1);
    draft.part = 'percentiles';
    if (isPerfMetric(rows[0]!.cells.at(-1)!) || rows[0]!.cells.filter((cell) => isPerfMetric(cell.trim())).length > 2)
      byColumn(draft, rows, complain);
    else byRow(draft, rows, complain);
    settleMindie(draft);
    return draft.facts.size === 0 ? [] : [draft];
  },
};

function byColumn(draft: PointDraft, rows: readonly CsvRow[], complain: Complain): void {
  const metrics = rows[0]!.cells.map((cell) => cell.trim());
  for (const { cells, line } of rows.slice(1)) {
    if (cells.length !== metrics.length) {
      complain(line, raggedRow.leftOut);
      continue;
    }
    metrics.forEach((metric, i) => {
      if (isPerfMetric(metric)) putPerfCell(draft, metric, cells[0]!.trim(), cells[i]!, line, complain);
    });
  }
}

function byRow(draft: PointDraft, rows: readonly CsvRow[], complain: Complain): void {
  const statistics = rows[0]!.cells.map((cell) => cell.trim());
  for (const { cells, line } of rows.slice(1)) {
    const metric = cells[0]!.trim();
    if (!isPerfMetric(metric) || cells.length !== statistics.length) continue;
    for (let i = 1; i < cells.length; i++)
      if (statistics[i] !== 'Stage') putPerfCell(draft, metric, statistics[i]!, cells[i]!, line, complain);
  }
}

/** MindIE's `result_common_*.csv`: names in the first row with values below, or name and value side by side. */
export const mindieCommonCsv: CsvFormat = {
  tool: 'mindie',
  matches: (rows) => cellsOf(rows).includes('TimeElapsed') && cellsOf(rows).includes('lpct'),
  read(rows, complain) {
    const draft = new PointDraft('mindie', 1);
    const names = rows[0]!.cells.map((cell) => cell.trim());
    if (names.includes('TimeElapsed')) {
      const values = rows[1];
      if (values !== undefined)
        names.forEach((name, i) => putCommon(draft, 'mindie', name, values.cells[i] ?? '', values.line, complain));
    } else
      for (const { cells, line } of rows) putCommon(draft, 'mindie', cells[0]!.trim(), cells.at(-1)!, line, complain);
    settleMindie(draft);
    return draft.facts.size === 0 ? [] : [draft];
  },
};

/** AISBench's `<dataset>.csv`: the performance table. */
export const aisbenchCsv: CsvFormat = {
  tool: 'aisbench',
  matches: (rows) => rows[0]?.cells[0] === 'Performance Parameters',
  read(rows, complain) {
    const draft = new PointDraft('aisbench', 1);
    draft.part = 'percentiles';
    byRow(draft, rows, complain);
    const stage = rows[0]!.cells.indexOf('Stage');
    if (rows.some((row) => row.cells[stage] === 'stable')) draft.server.set('stage', 'stable');
    settleAisbench(draft);
    return draft.facts.size === 0 ? [] : [draft];
  },
};

function cellsOf(rows: readonly CsvRow[]): string[] {
  return rows.slice(0, 40).flatMap((row) => row.cells.map((cell) => cell.trim()));
}
