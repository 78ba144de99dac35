import type { Summary, WorkerShareFacts } from '../../../core/index.ts';
import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';
import { healthSigns } from './client-bound.ts';

/** From this share on, the stamps of sick machines reach the percentiles that people quote. */
const harmfulShare = 0.05;

/** One of several client machines was at its limit: its share is not to be trusted, the others' is. */
export const sickWorker: PointRule = {
  code: 'sick-worker',
  severities: ['warn', 'invalid'],
  meaning: {
    en: 'A machine of a run over many had no CPU to spare, or its event loop ran late: its share describes the client. Invalid from 5 % of the requests on; the other machines are named as sound.',
    zh: '多机运行中的某台机器 CPU 已满或事件循环延迟：其份额反映的是客户端。占请求 5% 及以上时结果无效；其余机器仍可信。',
  },
  taughtBy:
    'Multi-process load generators merge the histograms of all workers, so that one starved machine moves p99 and nobody sees which.',
  check(point) {
    const workers = point.workers ?? [];
    const sick = workers.filter(({ health }) => health !== null && isSick(point, health));
    if (sick.length === 0) return null;
    const total = workers.reduce((sum, { exchanges }) => sum + exchanges, 0);
    const ratio = total === 0 ? 1 : sick.reduce((sum, { exchanges }) => sum + exchanges, 0) / total;
    const names = sick.map(({ name }) => name).join(', ');
    const sound = workers.filter((worker) => !sick.includes(worker)).map(({ name }) => name);
    return {
      severity: ratio >= harmfulShare ? 'invalid' : 'warn',
      message: {
        en: `Of ${workers.length} workers ${sick.length} were at their own limit (${names}): their share, ${percent(ratio)} of the requests, describes them, not the server.`,
        zh: `${workers.length} 个 worker 中有 ${sick.length} 个达到自身极限（${names}）：其份额（占请求 ${percent(ratio)}）反映的是客户端而不是服务器。`,
      },
      evidence: { workers: workers.length, sick: names, sound: sound.join(', ') || null, shareRatio: ratio },
      advice: {
        en: 'Give them less work (more workers), or leave them out and run again; `workers` in summary.json shows the health of each.',
        zh: '请增加 worker 以减轻负担，或去掉这些机器后重新运行；summary.json 的 `workers` 列出各机健康状况。',
      },
    };
  },
};

function isSick(point: Summary, health: NonNullable<WorkerShareFacts['health']>): boolean {
  const { cpu, loop } = healthSigns(point, health);
  return cpu || loop;
}
