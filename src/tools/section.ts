import { absorb, belongTogether } from './same-point.ts';
import type { PointDraft } from './point-draft.ts';

/** One heading's stretch of a document with the load points found in it, in the order found. */
export class Section {
  /** Headings from the document's first level down to this one. */
  readonly path: readonly string[];
  readonly line: number;
  private points: PointDraft[] = [];
  private hasTable = false;

  constructor(path: readonly string[], line: number) {
    this.path = path;
    this.line = line;
  }

  get drafts(): readonly PointDraft[] {
    return this.points;
  }

  /** A log block: takes the place of the table row that tells of the same test, else comes last. */
  addBlock(block: PointDraft): void {
    const at = this.hasTable
      ? this.points.findIndex((point) => point.from === 'table' && belongTogether(point, block))
      : -1;
    if (at === -1) {
      this.points.push(block);
      return;
    }
    absorb(block, this.points[at]!);
    this.points[at] = block;
  }

  /** The points of one table: each is matched with a log block or an earlier table's point of this section. */
  addTable(rows: readonly PointDraft[]): void {
    this.hasTable = true;
    const taken = new Set<PointDraft>();
    for (const row of rows) {
      const match = this.points.find((point) => !taken.has(point) && this.matches(point, row));
      if (match === undefined) this.points.push(row);
      else absorb(match, row);
      taken.add(match ?? row);
    }
  }

  /** Two tables of a section are the same points only when they print different figures of the same load. */
  private matches(point: PointDraft, row: PointDraft): boolean {
    if (point.from === 'block') return belongTogether(row, point);
    const load = row.get('load.concurrency');
    if (load === null || load !== point.get('load.concurrency')) return false;
    return [...row.facts.keys()].every((key) => key === 'load.concurrency' || !point.facts.has(key));
  }

  remove(gone: ReadonlySet<PointDraft>): void {
    this.points = this.points.filter((point) => !gone.has(point));
  }
}
