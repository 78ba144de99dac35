/** One sample of a page in Prometheus' text format. */
export interface PageSample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const mostSamples = 200_000;
const line = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;

/** The samples of a /metrics page. Histogram buckets are left out: nobody here reads them and they are most of a page. */
export function readPage(text: string): PageSample[] {
  const samples: PageSample[] = [];
  for (const raw of text.split('\n')) {
    if (raw === '' || raw.startsWith('#')) continue;
    const match = line.exec(raw.trim());
    if (match === null || match[1]!.endsWith('_bucket')) continue;
    const value = numberOf(match[3]!);
    if (value !== null) samples.push({ name: match[1]!, labels: labelsOf(match[2] ?? ''), value });
    if (samples.length >= mostSamples) break;
  }
  return samples;
}

function numberOf(text: string): number | null {
  if (/^\+?Inf$/i.test(text)) return Infinity;
  if (/^-Inf$/i.test(text)) return -Infinity;
  const value = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isNaN(value) ? null : value;
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const match of text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)) {
    labels[match[1]!] = match[2]!.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}
