import { printable } from '../../core/index.ts';
import type { FactKey } from './fact-key.ts';
import { absorb, belongTogether } from './same-point.ts';
import type { PointDraft } from './point-draft.ts';

/** One heading's stretch of a document with the load points found in it, in the order found. */
export class Section {
  private points: PointDraft[] = [];
  private hasTable = false;

  /** `path`: headings from the document's first level down to this one. */
  constructor(readonly path: readonly string[]) {}

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

  /** Blocks of one load that words of their own stand above are variants by those words. */
  nameVariants(): void {
    const groups = new Map<string, PointDraft[]>();
    for (const point of this.points) {
      if (point.from !== 'block') continue;
      const key = ['load.concurrency', 'load.ratePerSec', 'server.chunkSize', 'server.generateSize']
        .map((name) => point.digits(name as FactKey))
        .join(' ');
      groups.set(key, [...(groups.get(key) ?? []), point]);
    }
    for (const group of groups.values()) {
      const names = group.map(({ before }) => (before === null ? null : spoken(before.text)));
      const told = names.every((name) => name !== null && name !== '') && new Set(names).size === group.length;
      if (group.length < 2 || !told || group.some(({ variant }) => variant !== null)) continue;
      for (const [i, point] of group.entries()) {
        point.variant = names[i]!;
        point.origins.push({ name: 'variant', value: names[i]!, where: 'text', line: point.before!.line });
      }
    }
  }

  remove(gone: ReadonlySet<PointDraft>): void {
    this.points = this.points.filter((point) => !gone.has(point));
  }
}

/** A line of prose as a name: no marks of a list or emphasis, no colon at its end. */
function spoken(text: string): string {
  const bare = text.replaceAll(/\*\*|`|__/g, '').replace(/^\s*(?:[-*+]|\d+[.)、])\s*/, '');
  return printable(bare)
    .replace(/[:：]\s*$/, '')
    .trim()
    .slice(0, 80);
}
