/** A value as a tool tells it: a number, null where the tool says that it does not know, undefined where it is no such value. */
export type Reading<T> = T | null | undefined;

const nothing =
  /^(?:-+|\/|\[?n\/?a\]?|\[?not supported\]?|\[?unknown(?: error)?\]?|\[?insufficient permissions\]?|\[?not found\]?|err!?|none)$/i;

/** The tool's own words for "I do not know". */
export function isNothing(text: string): boolean {
  return nothing.test(text.trim());
}

/** A plain decimal number with an optional unit out of `units`; no thousands marks, no decimal commas. */
export function toldNumber(text: string, units: RegExp, range: { least: number; most: number }): Reading<number> {
  const trimmed = text.trim();
  if (isNothing(trimmed)) return null;
  const match = /^(-?\d+(?:\.\d+)?)\s*(.*)$/.exec(trimmed);
  if (match === null || !units.test(match[2]!)) return undefined;
  const value = Number(match[1]);
  return value >= range.least && value <= range.most ? value : undefined;
}

/** A whole number. */
export function toldCount(text: string, most: number = Number.MAX_SAFE_INTEGER): Reading<number> {
  const value = toldNumber(text, /^$/, { least: 0, most });
  return value === null || value === undefined || Number.isInteger(value) ? value : undefined;
}

/** A share of one from whole or broken percents. `sign`: the percent sign is needed, or may be missing. */
export function toldPercent(text: string, sign: 'needed' | 'optional' = 'optional'): Reading<number> {
  const value = toldNumber(text, sign === 'needed' ? /^%$/ : /^%?$/, { least: 0, most: 100 });
  return typeof value === 'number' ? value / 100 : value;
}

/** Degrees Celsius. */
export function toldCelsius(text: string, unit: 'needed' | 'optional' = 'optional'): Reading<number> {
  return toldNumber(text, unit === 'needed' ? /^°?C$/ : /^(?:°?C)?$/, { least: -60, most: 200 });
}

/** Watts; above 10 kW it is no card. */
export function toldWatts(text: string, unit: 'needed' | 'optional' = 'optional'): Reading<number> {
  return toldNumber(text, unit === 'needed' ? /^W$/i : /^W?$/i, { least: 0, most: 10_000 });
}

const byteUnits: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  kib: 1024,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
};

/** Bytes; device tools mean powers of 1024 whether they write MB or MiB. `usual` is the unit where none stands. */
export function toldBytes(text: string, usual: string | null): Reading<number> {
  const trimmed = text.trim();
  if (isNothing(trimmed)) return null;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(trimmed);
  if (match === null) return undefined;
  const unit = byteUnits[(match[2] || usual || '').toLowerCase()];
  if (unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return bytes <= 1024 ** 5 ? bytes : undefined;
}

/** A PCI address in lower case with a four-digit domain where the tool pads it to eight. */
export function toldBusId(text: string): Reading<string> {
  const trimmed = text.trim();
  if (isNothing(trimmed)) return null;
  const match = /^(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-9a-f])$/i.exec(trimmed);
  if (match === null) return undefined;
  const domain = (match[1] ?? '0000').replace(/^0000(?=[0-9a-f]{4}$)/i, '');
  return `${domain}:${match[2]}:${match[3]}.${match[4]}`.toLowerCase();
}

/** A name of a stranger on one line, or null for none. */
export function toldName(text: string): string | null {
  const trimmed = text.trim().slice(0, 80);
  return trimmed === '' || isNothing(trimmed) ? null : trimmed;
}
