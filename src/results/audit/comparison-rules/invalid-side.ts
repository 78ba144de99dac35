import type { SideRule } from '../rule.ts';

/** One of the two must not be used as it stands. */
export const invalidSide: SideRule = {
  code: 'invalid-side',
  severities: ['invalid'],
  meaning: {
    en: 'A side of the comparison carries an `invalid` finding: its figures do not say what their labels do, and nothing is compared with them.',
    zh: '比较的一方带有 invalid 结论：其数值与标注不符，不能用于比较。',
  },
  taughtBy:
    'Half of the points in the published engine comparisons are not what they seem; the winner changes when they are left out.',
  check({ summary }) {
    if (summary.verdict.valid) return null;
    const codes = summary.verdict.findings
      .filter(({ severity }) => severity === 'invalid')
      .map(({ code }) => code)
      .join(', ');
    return {
      severity: 'invalid',
      message: {
        en: `its own audit says that the figures must not be used (${codes}).`,
        zh: `其审计结论为数据不可用（${codes}）。`,
      },
      evidence: { codes },
      advice: {
        en: 'Mend the cause and run it again before comparing, or leave the point out.',
        zh: '请先解决原因并重新运行，或去掉该点，再做比较。',
      },
    };
  },
};
