import type { Silence, Summary } from '../../../core/index.ts';
import { limitOf } from '../limits.ts';
import { isGone } from './server-gone.ts';
import type { PointRule } from '../rule.ts';
import { percent, show, showMs } from '../wording.ts';

/** The client stood still itself for this share of a silence: then it is the client's. */
const ownShare = 0.5;

/** All streams fell silent at once, and went on later. */
export const serverSilent: PointRule = {
  code: 'server-silent',
  severities: ['warn'],
  meaning: {
    en: 'Nothing was heard from the server for a second and more while several requests waited, three times as long as it is silent for otherwise. Not every stream was slow: the whole server stood still once, and means, percentiles and rates carry it. The steady part is the longest one without a silence.',
    zh: '在多个请求等待时，服务器有一秒以上毫无输出，且为其平时静默时间的三倍以上。并非每个流都慢：是整个服务器停顿了一次，而均值、百分位与速率都包含了它。稳态段取不含静默的最长一段。',
  },
  taughtBy:
    'vLLM 0.32, stopped for 6 s (SIGSTOP) in the middle of a run of 13 s: "clean", and the stop lay inside the steady part.',
  check(point, context) {
    const silences = (point.silences ?? []).filter((one) => !isGone(one));
    const longest = silences.toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))[0];
    if (longest === undefined) return null;
    const longestMs = longest.toMs - longest.fromMs;
    const ownMs = point.client?.loopDelayMaxMs ?? null;
    const own = ownMs !== null && ownMs >= ownShare * longestMs;
    const waited = point.client?.cpuWaitRatio ?? 0;
    const short = waited >= limitOf(context, 'host-wait');
    const without = undisturbedWords(point);
    return {
      severity: 'warn',
      message: own
        ? {
            en: `Nothing was heard for ${showMs(longestMs)} from ${showMs(longest.fromMs)} on, but this client itself stood still for ${showMs(ownMs)}: that silence is not the server's.${without.en}`,
            zh: `自 ${showMs(longest.fromMs)} 起 ${showMs(longestMs)} 没有任何输出，但客户端自身停顿了 ${showMs(ownMs)}：该静默并非服务器所致。${without.zh}`,
          }
        : {
            en: `All streams fell silent at once: ${silences.map(wordsOf('en')).join('; ')}.${without.en}`,
            zh: `所有流同时静默：${silences.map(wordsOf('zh')).join('；')}。${without.zh}`,
          },
      evidence: {
        silences: silences.length,
        fromMs: longest.fromMs,
        longestMs,
        waiting: longest.waiting,
        lost: silences.reduce((sum, { lost }) => sum + lost, 0),
        clientStoodStillMs: own ? ownMs : null,
        requestsPerSecWithout: point.undisturbed?.requestsPerSec ?? null,
        outputTokensPerSecWithout: point.undisturbed?.outputTokensPerSec ?? null,
        ttftP99MsWithout: point.undisturbed?.ttftMs?.p99 ?? null,
        latencyP99MsWithout: point.undisturbed?.latencyMs?.p99 ?? null,
      },
      advice: own
        ? {
            en: 'Keep other work off this host (`dyno doctor` looks at it) and measure again.',
            zh: '避免在本机运行其他任务（可用 `dyno doctor` 检查）后重测。',
          }
        : {
            en: `${short ? `If the server runs on this host, begin here: this client waited for a processor ${percent(waited)} of the time. ` : ''}Look at the server and its host at that moment (a stopped or swapping process, a compilation, a checkpoint, one very long prompt, the network between), then measure again; figures without it stand in the evidence and in summary.undisturbed.`,
            zh: `${short ? `若服务器就在本机，先看这里：客户端有 ${percent(waited)} 的时间在等待处理器。` : ''}检查服务器及其主机在该时刻的情况（进程被暂停或换页、编译、写检查点、某个超长提示、中间网络），然后重测；不含静默的数值见依据与 summary.undisturbed。`,
          },
    };
  },
};

function wordsOf(lang: 'en' | 'zh'): (silence: Silence) => string {
  return ({ fromMs, toMs, waiting, lost, back }) => {
    const [length, at] = [showMs(toMs - fromMs), showMs(fromMs)];
    if (lang === 'zh')
      return `自 ${at} 起 ${length}，${waiting} 个请求在等待${lost > 0 ? `，${lost} 个丢失` : ''}${back ? '' : '，直到运行结束'}`;
    return `${length} from ${at} on, ${waiting} waiting${lost > 0 ? `, ${lost} lost` : ''}${back ? '' : ', to the end of the run'}`;
  };
}

function undisturbedWords({ undisturbed, requestsPerSec, latencyMs }: Summary): { en: string; zh: string } {
  const rate = undisturbed?.requestsPerSec ?? null;
  if (rate === null || requestsPerSec === null) return { en: '', zh: '' };
  const [before, after] = [latencyMs?.p99 ?? null, undisturbed?.latencyMs?.p99 ?? null];
  const both = before !== null && after !== null;
  return {
    en: ` Without it ${show(rate)} requests/s (with it ${show(requestsPerSec)})${both ? `, latency p99 ${showMs(after)} (${showMs(before)})` : ''}.`,
    zh: `不计静默为 ${show(rate)} 请求/秒（计入为 ${show(requestsPerSec)}）${both ? `，延迟 p99 ${showMs(after)}（${showMs(before)}）` : ''}。`,
  };
}
