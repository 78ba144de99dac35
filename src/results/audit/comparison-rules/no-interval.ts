import type { SideRule } from '../rule.ts';

/** How sure a difference is cannot be told. */
export const noInterval: SideRule = {
  code: 'no-interval',
  severities: ['info'],
  meaning: {
    en: 'Only the summary of a side is known (an import), or it lasted fewer than 6 stretches of 3 mean latencies: there is no interval and no significance.',
    zh: '一方只有汇总数据（导入），或不足 6 段、每段 3 倍平均延迟：无法给出置信区间与显著性。',
  },
  taughtBy: 'Published comparisons of one short run each, told to four digits.',
  check({ slices, plan }) {
    if (slices !== null) return null;
    const imported = plan === null;
    return {
      severity: 'info',
      message: imported
        ? {
            en: 'only its summary is known, so there is no interval and no significance.',
            zh: '只有汇总数据，无法给出置信区间与显著性。',
          }
        : {
            en: 'too short for an interval; it lasted fewer than 6 stretches of 3 mean latencies.',
            zh: '运行过短，无法给出置信区间（不足 6 段、每段 3 倍平均延迟）。',
          },
      evidence: { imported },
      advice: imported
        ? {
            en: 'Repeat the run with dyno to know how sure a difference is.',
            zh: '用 dyno 重新测试即可知道差异有多可靠。',
          }
        : { en: 'Run longer (-n or --duration).', zh: '请增加请求数或时长（-n 或 --duration）。' },
    };
  },
};
