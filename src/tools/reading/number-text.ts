/** A number as it stands in a file: its value, its digits without grouping or unit, and the unit behind it. */
export interface NumberText {
  value: number;
  digits: string;
  unit: string;
}

/** No figure of a benchmark is larger; what is, is damage or an attack. */
const largestPlausible = 1e15;

const shape =
  /^([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|[+-]?\.\d+)(e[+-]?\d{1,3})?\s*([^\d\s.,+\-/()[\]][^\s\d]*)?$/i;

/**
 * Reads one number with an optional unit ("404.284 seconds", "8,792", "64.7768 ms"); null for anything else: NaN,
 * infinities, two numbers, half a number, or a size no benchmark prints.
 */
export function readNumber(text: string): NumberText | null {
  const trimmed = text.trim();
  if (trimmed.length === 0 || trimmed.length > 64) return null;
  const match = shape.exec(trimmed);
  if (match === null) return null;
  const digits = match[1]!.replaceAll(',', '') + (match[2] ?? '');
  const value = Number(digits);
  if (!Number.isFinite(value) || Math.abs(value) > largestPlausible) return null;
  return { value, digits, unit: match[3] ?? '' };
}

/** Figures typed with a Chinese keyboard: wide digits, points, commas and percent signs as narrow ones. */
export function plainDigits(text: string): string {
  if (!/[\uFF10-\uFF19]/.test(text)) return text;
  return text.replaceAll(/[\uFF10-\uFF19\uFF0E\uFF0C\uFF05]/g, (wide) =>
    String.fromCharCode(wide.charCodeAt(0) - 0xfee0),
  );
}
