import type { ComparisonRule } from '../rule.ts';

/** The two were not asked the same. */
export const settingsDiffer: ComparisonRule = {
  code: 'settings-differ',
  severities: ['warn'],
  meaning: {
    en: 'The two points differ in load, streaming or model, so a difference in figures says nothing about the server.',
    zh: '两点的负载、流式设置或模型不同，数值差异不能说明服务器的优劣。',
  },
  taughtBy:
    'A published comparison sets eight 910B4 beside four T4 at 150, 200 and 256 on one side and 150, 200 and 300 on the other.',
  check(baseline, other) {
    const differing = [
      ...(baseline.load.concurrency === other.load.concurrency ? [] : ['concurrency']),
      ...(baseline.load.ratePerSec === other.load.ratePerSec ? [] : ['rate']),
      ...(baseline.load.stream === null || other.load.stream === null || baseline.load.stream === other.load.stream
        ? []
        : ['stream']),
      ...(baseline.model === null || other.model === null || baseline.model === other.model ? [] : ['model']),
    ];
    if (differing.length === 0) return null;
    return {
      severity: 'warn',
      message: {
        en: `Not comparable as they stand: the two differ in ${differing.join(', ')}.`,
        zh: `不可直接比较：两者在 ${differing.join('、')} 上不同。`,
      },
      evidence: {
        differing: differing.join(', '),
        concurrencyA: baseline.load.concurrency,
        concurrencyB: other.load.concurrency,
      },
      advice: { en: 'Measure both under the same load and settings.', zh: '请在相同负载与设置下测量两者。' },
    };
  },
};
