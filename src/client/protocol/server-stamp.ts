import { isObject } from '../../core/index.ts';

/** How a stamped server says when it emitted an event: a member of the event's object, or digits in its text. */
export interface ServerStamp {
  /** Name of the member; null = the digits stand in the text. */
  key: string | null;
  /** What one unit of the number is: 1 = ns, 1,000,000 = ms. */
  nsPerUnit: number;
  /** The clock it was read from, on this host. */
  clock: 'monotonic' | 'realtime';
  /** The number has a fraction, so that it says more than its unit does. */
  fraction?: true;
}

/** The stamp that servers made for this tool write. */
export const plainStamp: ServerStamp = { key: 'emit_ns', nsPerUnit: 1, clock: 'monotonic' };

/** A stretch of each clock, ns: from before a question until after its answer. */
export type ClockSpans = Record<ServerStamp['clock'], { fromNs: bigint; toNs: bigint }>;

/** Fewer digits of text are words of an answer, not a time. */
const leastTextDigits = 10;
const units = [1, 1000, 1_000_000, 1_000_000_000] as const;

/** The nanoseconds of a stamp as it is written: digits, perhaps with a fraction; null = it is none. */
export function stampNs(written: string, nsPerUnit: number): bigint | null {
  const match = /^(\d{1,19})(?:\.(\d{1,12}))?$/.exec(written);
  if (match === null) return null;
  const [, whole, fraction] = match;
  return BigInt(whole!) * BigInt(nsPerUnit) + BigInt(Math.round(Number(`0.${fraction ?? 0}`) * nsPerUnit));
}

/** The digits in a text that may be a stamp; null = there are none. */
export function stampInText(text: string): string | null {
  return text.match(/\d+(?:\.\d+)?/g)?.find((digits) => digits.length >= leastTextDigits) ?? null;
}

/** The stamp in an event's object as it is written there; null = there is none. */
export function writtenStamp(value: Record<string, unknown>, { key }: ServerStamp): string | null {
  for (const place of placesIn(value)) {
    const found = key === null ? (place['content'] ?? place['text']) : place[key];
    const written = digitsText(found);
    const digits = written === null ? null : key === null ? stampInText(written) : written;
    if (digits !== null && /^\d/.test(digits)) return digits;
  }
  return null;
}

/** The object itself, its first choice, and what that choice says. */
function placesIn(value: Record<string, unknown>): Record<string, unknown>[] {
  const choices = value['choices'];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(choice)) return [value];
  return [value, choice, choice['delta'], choice['message']].filter(isObject);
}

/**
 * How the server of these events stamps, found by comparing what it wrote with the clocks while it answered; null = nothing
 * in them is a time of this host; undefined = too few of them say anything. A whole number of seconds is no stamp, because it says too
 * little, and neither is a time that is the same in every event: it is that of the question.
 */
export function findStamp(events: readonly unknown[], spans: ClockSpans): ServerStamp | null | undefined {
  const objects = events.filter(isObject).filter((event) => placesIn(event).some((place) => saysSomething(place)));
  if (objects.length < 2) return undefined;
  const keys = new Set(objects.flatMap((event) => placesIn(event).flatMap((place) => Object.keys(place))));
  const ordered = [...keys].toSorted((a, b) => Number(b === plainStamp.key) - Number(a === plainStamp.key));
  const found = [...ordered, null].flatMap((key) => stampsOf(objects, key, spans));
  // The finest one tells the most.
  return found.toSorted((a, b) => a.nsPerUnit - b.nsPerUnit)[0] ?? null;
}

function stampsOf(objects: readonly Record<string, unknown>[], key: string | null, spans: ClockSpans): ServerStamp[] {
  const written = objects.map((event) => writtenStamp(event, { ...plainStamp, key }));
  if (written.includes(null)) return [];
  if (new Set(written).size === 1) return [];
  const fraction = written.some((each) => each!.includes('.'));
  const clocks = Object.keys(spans) as ServerStamp['clock'][];
  return units.flatMap((nsPerUnit) =>
    clocks.flatMap((clock): ServerStamp[] => {
      if (nsPerUnit === 1_000_000_000 && !fraction) return [];
      const times = written.map((each) => stampNs(each!, nsPerUnit));
      const { fromNs, toNs } = spans[clock];
      const inside = times.every(
        (ns, i) => ns !== null && ns >= fromNs && ns <= toNs && (i === 0 || ns >= times[i - 1]!),
      );
      return inside ? [{ key, nsPerUnit, clock, ...(fraction && { fraction }) }] : [];
    }),
  );
}

function saysSomething(place: Record<string, unknown>): boolean {
  const text = place['content'] ?? place['text'];
  return typeof text === 'string' && text !== '';
}

function digitsText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}
