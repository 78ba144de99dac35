import { cellsOf, padToCells, say } from '../../core/index.ts';
import type { Lang, Summary } from '../../core/index.ts';
import type { Painter } from './reported.ts';
import { promisesInWords } from './sentence/promise.ts';

/** A line for each promise: what was promised, what was measured, kept or BROKEN; none where nothing was promised. */
export function promiseLines(summary: Pick<Summary, 'slo'>, lang: Lang, paint: Painter): string[] {
  const promises = promisesInWords(summary);
  const promised = promises.map((one) => say(one.promised, lang));
  const names = Math.max(0, ...promised.map(cellsOf));
  const figures = Math.max(0, ...promises.map(({ measured }) => measured.length));
  return promises.map(({ measured, kept, verdict }, i) => {
    const colour = kept === null ? paint.warn : kept ? paint.good : paint.bad;
    return `  ${padToCells(promised[i]!, names)}    ${measured.padStart(figures)}    ${colour(say(verdict, lang))}`;
  });
}
