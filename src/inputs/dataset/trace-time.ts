/**
 * A moment of a log in ms: a number (seconds when it looks like a Unix time in seconds, ms when it looks like one in ms),
 * or an ISO 8601 text; null = it is none.
 */
export function timeMs(value: unknown): number | null {
  if (typeof value === 'string') return /^\d+(\.\d+)?$/.test(value.trim()) ? timeMs(Number(value)) : textMs(value);
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null;
  return value > 1e11 ? value : value * 1000;
}

/** ISO 8601 with any number of decimals; without a zone it is taken as UTC, so that no machine's zone matters. */
export function textMs(text: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim());
  if (match === null) return null;
  const zone = match[4] ?? 'Z';
  const whole = Date.parse(
    `${match[1]}T${match[2]}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`,
  );
  return Number.isNaN(whole) ? null : whole + Number(match[3] ?? 0) * 1000;
}
