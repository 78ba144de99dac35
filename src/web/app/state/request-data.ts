import { distributionOf } from '../../../core/index.ts';
import type { Distribution } from '../../../core/index.ts';
import { columnNames, outcomeNames, problemNames } from '../../api/request-columns.ts';
import type { ColumnBlock, ColumnName } from '../../api/request-columns.ts';

/** All requests of a run as columns; grows while it is being read. */
export class RequestData {
  rows = 0;
  /** Everything has arrived. */
  whole = false;
  #columns: ColumnBlock = emptyColumns(4096);

  /** A value of a row; NaN = not known. */
  at(name: ColumnName, row: number): number {
    return this.#columns[name][row]!;
  }

  add(block: ColumnBlock): void {
    const rows = this.rows + block.seq.length;
    if (rows > this.#columns.seq.length) {
      const larger = emptyColumns(Math.max(rows, 2 * this.#columns.seq.length));
      for (const name of columnNames) larger[name].set(this.#columns[name]);
      this.#columns = larger;
    }
    for (const name of columnNames) this.#columns[name].set(block[name], this.rows);
    this.rows = rows;
  }

  latencyMs(row: number): number {
    return this.at('endMs', row) - this.at('sentMs', row);
  }

  ttftMs(row: number): number {
    return this.at('firstOutputMs', row) - this.at('sentMs', row);
  }

  tpotMs(row: number): number {
    const gaps = this.at('outputTokens', row) - 1;
    return gaps > 0 ? (this.at('endMs', row) - this.at('firstOutputMs', row)) / gaps : NaN;
  }

  latenessMs(row: number): number {
    return this.at('sentMs', row) - this.at('dueMs', row);
  }

  isOk(row: number): boolean {
    return this.at('outcome', row) === 0;
  }

  /** ok, or why not. */
  cause(row: number): string {
    const problem = this.at('problem', row);
    return problem >= 0 ? problemNames[problem]! : outcomeNames[this.at('outcome', row)]!;
  }

  /** Where the first send was. */
  startMs(): number {
    let least = Infinity;
    for (let row = 0; row < this.rows; row++) {
      const sent = this.at('sentMs', row);
      if (sent < least) least = sent;
    }
    return Number.isFinite(least) ? least : 0;
  }
}

function emptyColumns(rows: number): ColumnBlock {
  return Object.fromEntries(columnNames.map((name) => [name, new Float64Array(rows)])) as ColumnBlock;
}

/** What a stretch of the run amounts to: the same definitions as in a summary, over the requests sent in it. */
export interface WindowFigures {
  sent: number;
  ok: number;
  failed: number;
  latencyMs: Distribution | null;
  ttftMs: Distribution | null;
  tpotMs: Distribution | null;
  latenessMs: Distribution | null;
  outputTokens: Distribution | null;
}

/** Figures of the requests sent from one moment to another; null = no bound. */
export function windowFigures(data: RequestData, window: readonly [number, number] | null): WindowFigures {
  const rows: number[] = [];
  const sentRows: number[] = [];
  let [sent, failed] = [0, 0];
  for (let row = 0; row < data.rows; row++) {
    const at = data.at('sentMs', row);
    if (window !== null && !(at >= window[0] && at <= window[1])) continue;
    if (!Number.isNaN(at)) {
      sent += 1;
      sentRows.push(row);
    }
    if (data.isOk(row)) rows.push(row);
    else if (data.at('outcome', row) === 1) failed += 1;
  }
  const of = (value: (row: number) => number, over = rows): Distribution | null =>
    distributionOf(over.map(value).filter((one) => !Number.isNaN(one)));
  return {
    sent,
    ok: rows.length,
    failed,
    latencyMs: of((row) => data.latencyMs(row)),
    ttftMs: of((row) => data.ttftMs(row)),
    tpotMs: of((row) => data.tpotMs(row)),
    latenessMs: of((row) => data.latenessMs(row), sentRows),
    outputTokens: of((row) => data.at('outputTokens', row)),
  };
}
