import { printableLine } from '../core/index.ts';
import type { Summary } from '../core/index.ts';

/** What must be known before figures are read, for dialects that have no place of their own for it. */
export function dialectNotes(summary: Summary): string[] {
  const invalid = summary.verdict.findings.filter((finding) => finding.severity === 'invalid');
  return [
    ...(summary.simulated ? ['Note: simulated, not a measurement of a real engine'] : []),
    ...(summary.engine?.simulated === true ? ['Note: simulated engine, not a measurement of a real one'] : []),
    ...(summary.partial ? ['Note: partial, the run did not end by itself'] : []),
    ...(invalid.length > 0 ? [`Note: not valid (${invalid.map((finding) => finding.code).join(', ')})`] : []),
  ];
}

/**
 * A tool's own block, given back as it stood in what was imported, in the version that printed it; another tool's point,
 * and one of our own, is told by `made`.
 */
export function givenBack(tool: string, made: (summary: Summary) => string): (summary: Summary) => string {
  return (summary) => {
    const { block } = summary.source;
    return block === undefined || summary.source.tool !== tool
      ? made(summary)
      : [...dialectNotes(summary), ...block.split('\n').map(printableLine), ''].join('\n');
  };
}

/** Tokens of all ok requests together, from the mean and the number of requests behind it; null = not known. */
export function totalTokens(summary: Summary, side: 'input' | 'output'): number | null {
  const dist = side === 'input' ? summary.inputTokens : summary.outputTokens;
  return dist === null || dist.mean === null || dist.n === 0 ? null : dist.mean * dist.n;
}

/** A figure with at most so many decimals, as tools print it that round. */
export function rounded(value: number, decimals = 4): string {
  return String(Number(value.toFixed(decimals)));
}
