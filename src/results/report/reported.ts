import type { Lang, Summary, Sweep } from '../../core/index.ts';
import type { MachineOf } from '../measure/index.ts';

/** What can be told: one load point, a sweep, or several sweeps side by side. */
export type Reported = Summary | Sweep | readonly Sweep[];

/** How words are emphasised; the plain painter leaves them as they are. */
export interface Painter {
  strong(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
  faint(text: string): string;
}

/** No colour at all. */
export const plainPainter: Painter = {
  strong: (text) => text,
  good: (text) => text,
  warn: (text) => text,
  bad: (text) => text,
  faint: (text) => text,
};

/** How to tell it. */
export interface ReportOptions {
  lang: Lang;
  paint?: Painter;
  /** Cells of the terminal that it is read on; absent = a file or a pipe, where a line may be as long as it is. */
  columns?: number;
  /** What is known of the machines; absent = nothing beyond the results themselves. */
  machineOf?: MachineOf;
}

/** A way of telling: the same thing always gives the same text. */
export type Reporter = (what: Reported, options: ReportOptions) => string;

/** Whether it is several sweeps. */
export function isComparison(what: Reported): what is readonly Sweep[] {
  return Array.isArray(what);
}

/** All points of what is told, in order. */
export function pointsOf(what: Reported): readonly Summary[] {
  if (isComparison(what)) return what.flatMap((sweep) => sweep.points);
  return what.schema === 'llmdyno.sweep/1' ? what.points : [what];
}
