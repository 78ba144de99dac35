/** A number for a sentence: four significant digits, no exponent for everyday sizes. */
export function show(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e12 || (size > 0 && size < 1e-4)) return value.toExponential(2);
  if (size >= 1000) return String(Math.round(value));
  return String(Number(value.toPrecision(4)));
}

/** A ratio as a percentage for a sentence. */
export function percent(ratio: number): string {
  return `${show(ratio * 100)} %`;
}

/** A time for a sentence: ms below a second, seconds from there on. */
export function showMs(ms: number): string {
  return Math.abs(ms) >= 1000 ? `${show(ms / 1000)} s` : `${show(ms)} ms`;
}
