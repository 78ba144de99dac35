import type { FactKey } from './fact-key.ts';
import { halfUlp } from '../../core/index.ts';
import type { PointDraft } from './point-draft.ts';

/** Whether a figure of a table is the log's figure, rounded or cut to the table's digits. */
export function sameFigure(table: { value: number; digits: string }, log: { value: number; digits: string }): boolean {
  const printed = Number(table.digits);
  const scale = printed === 0 ? 1 : table.value / printed;
  const room = halfUlp(table.digits) * scale;
  const gap = log.value - table.value;
  return Math.abs(gap) <= room * 1.000001 || (gap >= 0 && gap < room * 2);
}

/** Whether a table row and a log block, found in one section, tell of the same load test. */
export function belongTogether(table: PointDraft, log: PointDraft): boolean {
  if (differ(table.model, log.model) || differ(table.engine, log.engine)) return false;
  const asked = log.get('server.chunkSize');
  if (asked !== null) return table.get('server.chunkSize') === asked && agreeing(table, log).length > 0;
  const concurrency = table.get('load.concurrency');
  if (concurrency !== null) return concurrency === log.get('load.concurrency');
  return agreeing(table, log).length >= 2;
}

function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

/** Whether a table row repeats a log block of another section: every figure they share agrees, and there are enough of them. */
export function repeats(table: PointDraft, log: PointDraft): boolean {
  const shared = [...table.facts.keys()].filter((key) => log.facts.has(key));
  const telling = shared.filter(
    (key) =>
      table.facts
        .get(key)!
        .digits.replace(/^0+\.?0*/, '')
        .replaceAll(/\D/g, '').length >= 3,
  );
  return telling.length >= 2 && shared.length === agreeing(table, log).length;
}

function agreeing(table: PointDraft, log: PointDraft): FactKey[] {
  return [...table.facts].flatMap(([key, fact]) => {
    const other = log.facts.get(key);
    return other !== undefined && key !== 'server.chunkSize' && sameFigure(fact, other) ? [key] : [];
  });
}

/** The log takes the table's place; what the table prints becomes a second mention, and fills what the log does not say. */
export function absorb(log: PointDraft, table: PointDraft): void {
  for (const [key, fact] of table.facts) {
    if (key.startsWith('server.')) continue;
    if (log.facts.has(key)) log.mention(key, fact.digits, fact.line, 'table');
    else log.facts.set(key, fact);
  }
  log.label ??= table.label;
  log.variant ??= table.variant;
  log.model ??= table.model;
  log.engine ??= table.engine;
  log.asked ??= table.asked;
}
