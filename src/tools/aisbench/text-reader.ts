import { exactMethod } from '../../core/index.ts';
import { boxCells, isBoxRule } from '../reading/box-table.ts';
import { raggedRow } from '../reading/imported.ts';
import type { Complain } from '../reading/imported.ts';
import { PointDraft } from '../reading/point-draft.ts';
import type { BlockReader, TextFormat } from '../reading/file-format.ts';
import { isPerfMetric, putCommon, putPerfCell } from '../mindie/meaning.ts';

const patience = 30;

/** AISBench's boxed tables: "Performance Parameters | Stage | Average …" and "Common Metric | Stage | Value". */
export const aisbenchText: TextFormat = {
  tool: 'aisbench',
  opens: (line) => line.includes('Performance Parameters') && boxCells(line)?.[0] === 'Performance Parameters',
  reader: (complain) => new AisbenchBlock(complain),
};

class AisbenchBlock implements BlockReader {
  private draft: PointDraft | null = null;
  private header: string[] = [];
  private strangers = 0;

  constructor(private readonly complain: Complain) {}

  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine' {
    const cells = boxCells(line);
    if (cells === null) {
      if (isBoxRule(line) || /^[╒╤╕╞╪╡╘╧╛├┼┤═─]+$/.test(line.trim())) return 'more';
      this.strangers++;
      return this.strangers > patience ? 'not-mine' : 'more';
    }
    this.strangers = 0;
    if (cells[0] === 'Performance Parameters') {
      if (this.draft !== null) return 'not-mine';
      this.draft = new PointDraft('aisbench', lineNumber);
      this.header = cells;
      return 'more';
    }
    if (cells[0] === 'Common Metric') {
      this.header = cells;
      return 'more';
    }
    this.takeRow(cells, lineNumber, this.draft!);
    return 'more';
  }

  private takeRow(cells: string[], lineNumber: number, draft: PointDraft): void {
    if (cells.length !== this.header.length) {
      this.complain(lineNumber, raggedRow.inTable);
      return;
    }
    const name = cells[0]!;
    if (cells[this.header.indexOf('Stage')] === 'stable') draft.server.set('stage', 'stable');
    if (this.header[0] === 'Common Metric')
      putCommon(draft, 'aisbench', name, cells.at(-1)!, lineNumber, this.complain);
    else if (isPerfMetric(name)) {
      for (let i = 1; i < cells.length; i++) {
        if (this.header[i] === 'Stage') continue;
        putPerfCell(draft, name, this.header[i]!, cells[i]!, lineNumber, this.complain);
      }
    }
  }

  end(): PointDraft[] {
    const draft = this.draft;
    if (draft === null || draft.facts.size < 3) return [];
    settleAisbench(draft);
    return [draft];
  }
}

/**
 * What all AISBench sources share. Its "stable" stage tells of the middle of a run only: in the run that taught this,
 * 2 requests of 48, with 6 failures outside. Duration, counts and totals of the window are kept under `server.stable`,
 * because they are not the run's.
 */
export function settleAisbench(draft: PointDraft): void {
  if (draft.server.get('stage') === 'stable') {
    for (const [key, fact] of draft.facts) {
      if (!/^(?:counts|totals)\.|^durationMs$/.test(key)) continue;
      draft.facts.delete(key);
      draft.facts.set(`server.stable.${key}`, fact);
    }
  }
  draft.kind = draft.get('load.concurrency') === null ? null : 'closed';
  draft.stream = draft.facts.has('itlMs.mean') ? true : null;
  draft.percentileMethod = exactMethod;
  draft.tokenSource = 'server';
}
