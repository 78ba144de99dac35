import type { Chosen } from './choose-best.ts';
import type { TuneProblem } from './problem.ts';
import { placeOf } from './surrogate.ts';
import type { Role } from './space.ts';

/** A setting whose range ends where the answer lies, so that better settings may lie beyond it. */
export interface RangeEnd {
  setting: string;
  value: number;
  from: number;
  to: number;
  side: 'low' | 'high';
  /** The end to try next, where settings of its kind may be doubled or halved; null = only its server knows how far it goes. */
  next: number | null;
}

/** This part of a range belongs to its end: what is to be gained within it is less than runs differ by. */
const endPart = 0.02;
/** A bound this near to its limit (as a ratio) says that the limit stopped the search, and not the range. */
const limitNear = 0.01;
const scalable: ReadonlySet<Role | null> = new Set<Role>([
  'batch',
  'prefill-batch',
  'prefill-tokens',
  'concurrency',
  'rate',
]);

/**
 * Ranges that end at the best settings. Where everything tried broke a limit the low end counts, because a smaller batch answers sooner;
 * where all limits are kept with room to spare the high one does.
 */
export function rangeEnds({ space, slos }: TuneProblem, { point, confirmation, feasible }: Chosen): RangeEnd[] {
  const place = placeOf(space, point);
  if (place === null) return [];
  const isLimited = confirmation.standings.some(
    ({ bound, slo }) => bound !== null && slo.limit > 0 && Math.abs(bound / slo.limit - 1) < limitNear,
  );
  if (isLimited && slos.length > 0) return [];
  return space.knobs.flatMap((knob, i) => {
    const { name, ordered, raise, role, values } = knob;
    const [from, to, value] = [values[0], values.at(-1), values[place[i]!]];
    if (!ordered || raise !== null || typeof from !== 'number' || typeof to !== 'number' || typeof value !== 'number')
      return [];
    if (values.length < 3) return [];
    const part = (value - from) / (to - from);
    const side = part >= 1 - endPart ? 'high' : part <= endPart ? 'low' : null;
    if (side === null || (side === 'high' && feasible === false)) return [];
    const wider = side === 'high' ? 2 * to : Math.max(Number.isInteger(from) ? 1 : 0, Math.floor(from / 4));
    const next = scalable.has(role) && wider !== from && wider !== to ? wider : null;
    return [{ setting: name, value, from, to, side, next }];
  });
}
