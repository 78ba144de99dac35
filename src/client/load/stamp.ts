import { stampInText, stampNs } from '../protocol/index.ts';
import type { ServerStamp, TextPlace } from '../protocol/index.ts';

const ZERO = 48;
const NINE = 57;
const nsDigits = 9;
/** CLOCK_MONOTONIC in ns has at most so many digits for 30,000 years; more are no stamp. */
const mostDigits = 19;

/**
 * A stamped server's time on the run's clock, ms, from the decimal digits of its nanoseconds; NaN = they are none. Seconds
 * and nanoseconds are taken apart, so that no digit is lost on a host that has been up for months.
 *
 * NaN and not null, because V8 compiles a field that holds either null or a fraction for references: the first stamp that is a
 * whole number of milliseconds, one in a million, would then have all of the hot path compiled again.
 */
export function stampMsIn(buffer: Uint8Array, from: number, to: number, originNs: bigint): number {
  if (to - from > mostDigits || to === from) return NaN;
  if (originNs !== lastOriginNs) setOrigin(originNs);
  let seconds = 0;
  let ns = 0;
  for (let i = from; i < to; i++) {
    const byte = buffer[i]!;
    if (byte < ZERO || byte > NINE) return NaN;
    if (to - i > nsDigits) seconds = seconds * 10 + byte - ZERO;
    else ns = ns * 10 + byte - ZERO;
  }
  return (seconds - originSeconds) * 1000 + (ns - originRestNs) / 1e6;
}

let lastOriginNs = 0n;
let originSeconds = 0;
let originRestNs = 0;

function setOrigin(originNs: bigint): void {
  lastOriginNs = originNs;
  originSeconds = Number(originNs / 1_000_000_000n);
  originRestNs = Number(originNs % 1_000_000_000n);
}

/** As stampMsIn, for a server that stamps in its own way; `text` is the event's text where its bytes had escapes. */
export function foreignStampMs(
  buffer: Uint8Array,
  { stampFrom, stampTo, textFrom, textTo }: TextPlace,
  text: string | null,
  { key, nsPerUnit }: ServerStamp,
  originNs: bigint,
): number {
  const latin1 = (from: number, to: number): string =>
    Buffer.from(buffer.buffer, buffer.byteOffset + from, to - from).toString('latin1');
  const written = key === null ? stampInText(text ?? latin1(textFrom, textTo)) : latin1(stampFrom, stampTo);
  const ns = written === null ? null : stampNs(written, nsPerUnit);
  return ns === null ? NaN : Number(ns - originNs) / 1e6;
}
