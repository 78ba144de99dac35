import type { Silence } from '../../../core/index.ts';
import type { PointRule } from '../rule.ts';
import { showMs } from '../wording.ts';

/** Whether it was the end of the server, and not of its patience: one that is overloaded or stopped lets requests wait. */
export function isGone({ back, lost }: Silence): boolean {
  return !back && lost > 0;
}

/** The server was lost on the way and did not come back. */
export const serverGone: PointRule = {
  code: 'server-gone',
  severities: ['invalid'],
  meaning: {
    en: 'From some moment on nothing was heard from the server until the run ended: requests were refused or broken off. Rates over the whole run then hold time without a server, and the survivors are those that were quick.',
    zh: '从某一时刻起直到运行结束，服务器再无任何输出：请求被拒绝或被中断。此时全程速率包含没有服务器的时间，成功的只是较快的请求。',
  },
  taughtBy:
    'vLLM 0.32 whose EngineCore was killed: 275 of 400 requests failed, the run was a warning with exit 0, and elsewhere a run of 8 % survivors was valid.',
  check({ silences }) {
    const silence = silences?.find(isGone);
    if (silence === undefined) return null;
    const { fromMs, toMs, lost, waiting } = silence;
    return {
      severity: 'invalid',
      message: {
        en: `The server went away: no answer since ${showMs(fromMs)}; ${lost} refused or broken off.`,
        zh: `服务器已失联：自 ${showMs(fromMs)} 起无应答；${lost} 个请求被拒绝或中断。`,
      },
      evidence: { sinceMs: fromMs, untilMs: toMs, lost, waiting },
      advice: {
        en: "Read the server's log of that moment (a crash, the out-of-memory killer, a restart), start it again and measure again; `--stop-when 'failed>5%'` ends such a run early.",
        zh: "查看服务器在该时刻的日志（崩溃、被 OOM 杀死、重启），重新启动后再测；`--stop-when 'failed>5%'` 可及早结束此类运行。",
      },
    };
  },
};
