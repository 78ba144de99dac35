import type { ComparisonRule } from '../rule.ts';

/** One of the two must not be used as it stands. */
export const invalidSide: ComparisonRule = {
  code: 'invalid-side',
  severities: ['warn'],
  meaning: {
    en: 'A side of the comparison carries an `invalid` finding: its figures do not say what their labels do.',
    zh: '比较的一方带有 invalid 结论：其数值与标注不符。',
  },
  taughtBy:
    'Half of the points in the published engine comparisons are not what they seem; the winner changes when they are left out.',
  check(baseline, other) {
    const bad = [baseline, other].filter((point) => !point.verdict.valid);
    if (bad.length === 0) return null;
    const codes = bad.flatMap((point) =>
      point.verdict.findings.filter((finding) => finding.severity === 'invalid').map((finding) => finding.code),
    );
    return {
      severity: 'warn',
      message: {
        en: `${bad.length === 2 ? 'Both sides are' : 'One side is'} not valid (${codes.join(', ')}).`,
        zh: `${bad.length === 2 ? '双方均' : '其中一方'}无效（${codes.join('、')}）。`,
      },
      evidence: { invalidSides: bad.length, codes: codes.join(', ') },
      advice: {
        en: 'Leave the point out, use its repaired figures, or measure again.',
        zh: '去掉该点、使用修正值，或重新测量。',
      },
    };
  },
};
