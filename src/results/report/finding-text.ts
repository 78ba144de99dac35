import { printable, say } from '../../core/index.ts';
import type { Finding, Lang, Phrase, Summary } from '../../core/index.ts';
import { percent } from './figure-text.ts';
import { folded } from './folded.ts';
import type { Painter } from './reported.ts';
import { labels } from './labels.ts';

const severityLabels = { info: labels.severityInfo, warn: labels.severityWarn, invalid: labels.severityInvalid };

/** How a result was simulated, the run or the engine behind it; null = nothing says that it was. */
export function simulationOf({ simulated, engine }: Pick<Summary, 'simulated' | 'engine'>): Phrase | null {
  return simulated ? labels.simulated : engine?.simulated === true ? labels.simulatedEngine : null;
}

/** What must be known before any figure is read: how many failed where that weighs, simulated, partial, not valid. Empty for a clean run of a real engine. */
export function cautions(summary: Summary, lang: Lang, paint: Painter): string[] {
  const lines: string[] = [];
  const failures = summary.verdict.findings.find(({ code, severity }) => code === 'failures' && severity !== 'info');
  const failedRatio = failures?.evidence['failedRatio'];
  if (typeof failedRatio === 'number')
    lines.push(paint.bad(`[${percent(failedRatio)} ${say(labels.ofRequestsFailed, lang)}]`));
  const simulated = simulationOf(summary);
  if (simulated !== null) lines.push(paint.warn(`[${say(simulated, lang)}]`));
  if (summary.partial) lines.push(paint.warn(`[${say(labels.partial, lang)}]`));
  if (!summary.verdict.valid) lines.push(paint.bad(`[${say(labels.notValid, lang)}]`));
  return lines;
}

/** The findings in words, each with its advice, in lines of at most so many columns. */
export function findingLines(
  findings: readonly Finding[],
  lang: Lang,
  paint: Painter,
  columns: number = Infinity,
): string[] {
  return findings.flatMap((finding) => {
    const { message, advice } = lang === 'zh' ? finding.zh : finding;
    const head = `${say(severityLabels[finding.severity], lang)}: ${printable(message)} (${printable(finding.code)})`;
    const colour =
      finding.severity === 'invalid' ? paint.bad : finding.severity === 'warn' ? paint.warn : (line: string) => line;
    const painted = folded(head, columns).map((line) => colour(line));
    return advice === ''
      ? painted
      : [...painted, ...folded(`    ${say(labels.advice, lang)}: ${printable(advice)}`, columns)];
  });
}
