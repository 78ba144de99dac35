import { exactMethod } from '../../core/index.ts';
import { boxCells, isBoxRule } from '../reading/box-table.ts';
import { raggedRow } from '../reading/imported.ts';
import type { Complain } from '../reading/imported.ts';
import { PointDraft } from '../reading/point-draft.ts';
import type { BlockReader, TextFormat } from '../reading/file-format.ts';
import { isPerfMetric, putCommon, putPerfCell } from './meaning.ts';

const opening = /The BenchMark test (performance|common) metric result is:\s*$/;
const patience = 30;

/** The two tables that MindIE Benchmark prints: performance metrics, then common metrics. */
export const mindieText: TextFormat = {
  tool: 'mindie',
  opens: (line) => line.includes('BenchMark test') && opening.test(line),
  reader: (complain) => new MindieBlock(complain),
};

class MindieBlock implements BlockReader {
  private draft: PointDraft | null = null;
  private header: string[] | null = null;
  private sawCommon = false;
  private strangers = 0;

  constructor(private readonly complain: Complain) {}

  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine' {
    const start = opening.exec(line);
    if (start !== null) {
      if (this.draft !== null && (start[1] === 'performance' || this.sawCommon)) return 'not-mine';
      this.draft ??= new PointDraft('mindie', lineNumber);
      this.header = null;
      if (start[1] === 'common') this.sawCommon = true;
      return 'more';
    }
    const cells = boxCells(line);
    if (cells === null) {
      if (isBoxRule(line)) return 'more';
      this.strangers++;
      return this.strangers > patience ? 'not-mine' : 'more';
    }
    this.strangers = 0;
    this.takeCells(cells, lineNumber, this.draft!);
    return 'more';
  }

  continues(line: string): boolean {
    if (opening.exec(line)?.[1] === 'common' || /^\[\d{4}-\d\d-\d\d .*\[benchmark\]/.test(line)) return !this.sawCommon;
    return boxCells(line) !== null || isBoxRule(line);
  }

  private takeCells(cells: string[], lineNumber: number, draft: PointDraft): void {
    if (cells[0] === 'Metric' || cells[0] === 'Common Metric') {
      this.header = cells;
      return;
    }
    if (this.header === null) return;
    if (cells.length !== this.header.length) {
      this.complain(lineNumber, raggedRow.inTable);
      return;
    }
    if (this.header[0] === 'Common Metric') {
      putCommon(draft, 'mindie', cells[0]!, cells[1]!, lineNumber, this.complain);
      return;
    }
    if (!isPerfMetric(cells[0]!)) return;
    for (let i = 1; i < cells.length; i++)
      putPerfCell(draft, cells[0]!, this.header[i]!, cells[i]!, lineNumber, this.complain);
  }

  end(): PointDraft[] {
    const draft = this.draft;
    if (draft === null) return [];
    if (draft.facts.size < 3) {
      this.complain(draft.line, { en: 'MindIE result without figures', zh: 'MindIE 结果中没有可读的数据' });
      return [];
    }
    settleMindie(draft);
    return [draft];
  }
}

/** What all MindIE sources share. */
export function settleMindie(draft: PointDraft): void {
  draft.kind = draft.get('load.concurrency') === null ? null : 'closed';
  draft.stream = draft.facts.has('ttftMs.mean') || draft.facts.has('itlMs.mean') ? true : null;
  draft.percentileMethod = exactMethod;
  draft.tokenSource = 'client';
}
