/** A figure with three digits, or all that stand before the point: 0.123, 86.6, 925, 1,112. null = not known, `–`. */
export function shortFigure(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  // What rounds up to one digit more (99.97) has one decimal less.
  const before =
    Number(
      Math.abs(value)
        .toExponential(digits - 1)
        .split('e')[1],
    ) + 1;
  const text = value.toFixed(Math.max(0, Math.min(9, digits - before)));
  const [front, behind] = text.split('.') as [string, string?];
  return behind === undefined ? grouped(front) : `${grouped(front)}.${behind}`;
}

/** A count with its digits in groups; null = not known. */
export function countFigure(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : grouped(value.toFixed(0));
}

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
}

const msPer = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** A time in the unit that suits it: ms below ten seconds, then seconds. */
export function timeFigure(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–';
  return ms < 10_000 ? `${shortFigure(ms)} ms` : `${shortFigure(ms / 1000)} s`;
}

/** A time in a unit that somebody wrote. */
export function timeIn(ms: number, unit: keyof typeof msPer, digits = 3): string {
  return `${shortFigure(ms / msPer[unit], digits)} ${unit}`;
}

/** A share in percent with at most three digits; what is not none is never told as 0 %. */
export function shareFigure(ratio: number | null | undefined, digits = 3): string {
  if (ratio === null || ratio === undefined || !Number.isFinite(ratio)) return '–';
  return `${Number((ratio * 100).toPrecision(digits))} %`;
}
