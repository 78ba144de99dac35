import { printable, say } from '../../core/index.ts';
import type { Lang } from '../../core/index.ts';
import type { PlanCheck } from './plan-schema.ts';

const severities = {
  invalid: { en: 'wrong', zh: '错误' },
  warn: { en: 'risky', zh: '风险' },
  info: { en: 'note', zh: '提示' },
} as const;

/** The findings of a check for people, worst first. */
export function renderCheck(check: PlanCheck, lang: Lang): string {
  const { valid, findings } = check.verdict;
  const count = (severity: string): number => findings.filter((finding) => finding.severity === severity).length;
  const head = say(
    {
      en: `${printable(check.file)}: ${valid ? 'nothing wrong' : `${count('invalid')} wrong`}, ${count('warn')} risky or slow, ${count('info')} to know`,
      zh: `${printable(check.file)}：${valid ? '没有错误' : `${count('invalid')} 处错误`}，${count('warn')} 处有风险或拖慢性能，${count('info')} 条提示`,
    },
    lang,
  );
  const lines = findings.map((finding) => {
    const words = lang === 'zh' ? finding.zh : finding;
    return `  [${say(severities[finding.severity], lang)}] ${words.message}\n      ${words.advice} (${finding.code})`;
  });
  return `${[head, ...lines].join('\n')}\n`;
}
