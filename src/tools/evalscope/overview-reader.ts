import { boxCells, isBoxRule } from '../reading/box-table.ts';
import { labels, means, normalLabel } from '../reading/fact-key.ts';
import type { Meaning } from '../reading/fact-key.ts';
import { raggedRow } from '../reading/imported.ts';
import type { Complain } from '../reading/imported.ts';
import { PointDraft } from '../reading/point-draft.ts';
import type { BlockReader, TextFormat } from '../reading/file-format.ts';
import { evalscopeColumns, statisticOf } from './labels.ts';
import { settleEvalscope } from './text-reader.ts';

/** Columns of "Detailed Performance Metrics" (1.0 to 1.6) and "Performance Overview" (1.7 on), in normalLabel form. */
const columns: ReadonlyMap<string, Meaning> = labels([
  [means('load.concurrency'), 'conc.'],
  [means('load.ratePerSec'), 'rate'],
  [means('counts.planned'), 'num'],
  [means('requestsPerSec'), 'rps'],
  [means('outputTokensPerSec'), 'gen/s; gen. toks/s'],
  [means('latencyMs.mean', 1000), 'avg lat.(s)'],
  [means('latencyMs.p99', 1000), 'p99 lat.(s)'],
  [means('ttftMs.mean', 1000), 'avg ttft(s)'],
  [means('ttftMs.p99', 1000), 'p99 ttft(s)'],
  [means('ttftMs.mean'), 'avg ttft(ms)'],
  [means('ttftMs.p99'), 'p99 ttft(ms)'],
  [means('tpotMs.mean', 1000), 'avg tpot(s)'],
  [means('tpotMs.p99', 1000), 'p99 tpot(s)'],
  [means('tpotMs.mean'), 'avg tpot(ms)'],
  [means('tpotMs.p99'), 'p99 tpot(ms)'],
]);

const opening = /^\s*(?:Performance Overview|Detailed Performance Metrics)\s*$/;
const patience = 12;

/** evalscope's closing tables (also performance_summary.txt): one row per load. A log block of the same load wins over them. */
export const evalscopeOverviewText: TextFormat = {
  tool: 'evalscope',
  opens: (line) => line.includes('Performance ') && opening.test(line),
  reader: (complain) => new OverviewTables(complain),
};

class OverviewTables implements BlockReader {
  private readonly points = new Map<string, PointDraft>();
  private header: string[] = [];
  private inHeader = false;
  private current: PointDraft | null = null;
  private strangers = 0;
  private started = false;

  constructor(private readonly complain: Complain) {}

  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine' {
    if (opening.test(line)) {
      if (this.started) return 'not-mine';
      this.started = true;
      return 'more';
    }
    const cells = boxCells(line);
    if (cells === null) {
      if (!isBoxRule(line) && line.trim() !== '') this.strangers++;
      return this.strangers > patience ? 'not-mine' : 'more';
    }
    if (line.trim().startsWith('┃')) this.takeHeader(cells);
    else this.takeRow(cells, lineNumber);
    return 'more';
  }

  /** Narrow terminals wrap titles: the words of a column stand below each other. */
  private takeHeader(cells: string[]): void {
    this.header = this.inHeader ? this.header.map((title, i) => `${title} ${cells[i] ?? ''}`.trim()) : cells;
    this.inHeader = true;
  }

  private takeRow(cells: string[], lineNumber: number): void {
    this.inHeader = false;
    const titles = this.header.map((title) => normalLabel(title));
    if (titles[0] !== 'conc.') return;
    if (cells.length !== titles.length) {
      this.complain(lineNumber, raggedRow.inTable);
      return;
    }
    const load = `${cells[0]} ${titles[1] === 'rate' ? cells[1] : ''}`;
    if (cells[0] !== '' || this.current === null) this.current = this.pointAt(load, lineNumber);
    const metric = titles.indexOf('metric');
    if (metric === -1) this.takeFigures(this.current, titles, cells, lineNumber);
    else this.takeSpread(this.current, cells[metric]!, titles, cells, lineNumber);
  }

  private pointAt(load: string, lineNumber: number): PointDraft {
    const draft = this.points.get(load) ?? new PointDraft('evalscope', lineNumber, 'table');
    this.points.set(load, draft);
    return draft;
  }

  private takeFigures(draft: PointDraft, titles: string[], cells: string[], lineNumber: number): void {
    titles.forEach((title, i) => {
      const meaning = columns.get(title);
      if (meaning !== undefined && !/^inf$/i.test(cells[i]!))
        draft.putText(meaning, cells[i]!, lineNumber, this.complain);
    });
    const success = cells[titles.findIndex((title) => title.startsWith('success'))] ?? '';
    const planned = draft.get('counts.planned');
    // Anything but 100 % is rounded: it does not tell how many failed.
    if (planned === null || !/^100(?:\.0+)?%$/.test(success)) return;
    draft.derived('counts.ok', planned);
    draft.derived('counts.failed', 0);
  }

  private takeSpread(draft: PointDraft, metric: string, titles: string[], cells: string[], lineNumber: number): void {
    const column = evalscopeColumns.get(normalLabel(metric));
    if (column === undefined) return;
    titles.forEach((title, i) => {
      const statistic = statisticOf(title);
      if (statistic !== null)
        draft.putText(means(`${column.name}.${statistic}`, column.scale), cells[i]!, lineNumber, this.complain);
    });
  }

  end(): PointDraft[] {
    const drafts = [...this.points.values()].filter(
      (draft) => draft.facts.has('requestsPerSec') || draft.facts.has('latencyMs.mean'),
    );
    for (const draft of drafts) settleEvalscope(draft);
    return drafts;
  }
}
