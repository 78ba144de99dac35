import { lang } from './state/settings.ts';

/** Stands for a figure that is not known. */
export const unknown = '–';

/** A number with digits that suit its size. */
export function num(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return unknown;
  const size = Math.abs(value);
  const digits = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A whole count with thousands apart. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? unknown : value.toLocaleString('en-US');
}

/** ms in the unit that suits it. */
export function time(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return unknown;
  if (Math.abs(ms) >= 3_600_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  if (Math.abs(ms) >= 120_000) return `${(ms / 60_000).toFixed(1)} min`;
  if (Math.abs(ms) >= 1000) return `${(ms / 1000).toFixed(ms >= 10_000 ? 1 : 2)} s`;
  return `${ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : 2)} ms`;
}

/** A ratio in percent. */
export function percent(ratio: number | null | undefined, digits = 1): string {
  return ratio === null || ratio === undefined || !Number.isFinite(ratio)
    ? unknown
    : `${(ratio * 100).toFixed(digits)} %`;
}

/** When something was, short where it is near. */
export function when(iso: string | null): string {
  if (iso === null) return unknown;
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso.slice(0, 20);
  const today = new Date().toDateString() === at.toDateString();
  const locale = lang() === 'zh' ? 'zh-CN' : 'en-GB';
  return today
    ? at.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
    : at.toLocaleString(locale, {
        year: 'numeric',
        month: 'short',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
      });
}
