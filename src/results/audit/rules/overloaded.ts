import type { PointRule } from '../rule.ts';
import { greatest } from '../server-figure.ts';
import { percent, show } from '../wording.ts';

/** Of what a server took while it was full, the share that it can be asked for without a queue that grows. */
const safeShare = 0.8;

/** More came due than the server could answer. */
export const overloaded: PointRule = {
  code: 'overloaded',
  severities: ['warn'],
  meaning: {
    en: 'More requests came due than the server answered, so that ever more were under way: a tenth and more of what came due piled up, or (closed loop) a tenth timed out or was turned away. Its times then say how long the load lasted and not how quick the server is, and no part of the run is steady.',
    zh: '到期的请求多于服务器能应答的，在途请求不断增加：到期请求的十分之一以上在堆积，或（闭环）十分之一以上超时或被拒绝。此时测得的时间反映的是负载持续多久，而不是服务器有多快，运行中也没有稳态段。',
  },
  taughtBy:
    'vLLM 0.32 on a CPU, 80 requests/s asked and 45 answered: 832 waiting, TTFT p99 15.6 s, and nothing was said. vLLM 0.25 on an H200, 62.5/s asked of a server that takes 52 in a closed loop: 255 of its 256 places taken and a queue, latency five times as long as at first.',
  check(point) {
    const { flow, load, counts } = point;
    if (flow === undefined || flow.state !== 'overloaded') return null;
    const { duePerSec, answeredPerSec, openEarly, openLate, unserved, pilingRatio } = flow;
    const evidence = {
      duePerSec,
      answeredPerSec,
      openEarly,
      openLate,
      pilingRatio,
      unserved,
      waitingMax: greatest(point, 'waiting'),
    };
    const gone = {
      en: unserved > 0 ? ` ${unserved} timed out or were turned away.` : '',
      zh: unserved > 0 ? `${unserved} 个超时或被拒绝。` : '',
    };
    if (load.kind === 'closed' || duePerSec === null || answeredPerSec === null)
      return {
        severity: 'warn',
        message: {
          en: `${unserved} of ${counts.issued} requests timed out or were turned away: the server does not take ${load.concurrency === null ? 'this load' : `${load.concurrency} at a time`}.`,
          zh: `${counts.issued} 个请求中 ${unserved} 个超时或被拒绝：服务器无法承受${load.concurrency === null ? '此负载' : `同时 ${load.concurrency} 个请求`}。`,
        },
        evidence,
        advice: {
          en: 'Ask for fewer at a time, or give requests more time.',
          zh: '降低并发，或延长超时。',
        },
      };
    const safe = safeShare * Math.min(answeredPerSec, duePerSec);
    return {
      severity: 'warn',
      message: {
        en: `The server was asked for more than it takes: ${show(duePerSec)} requests a second came due and it took about ${show(answeredPerSec)}; under way ${open(openEarly, openLate, 'en')}, ${percent(pilingRatio ?? 0)} of what came due piled up.${gone.en} Times measure how long the load lasted.`,
        zh: `请求超出了服务器的承载能力：每秒到期 ${show(duePerSec)} 个，服务器约应答 ${show(answeredPerSec)} 个；在途${open(openEarly, openLate, 'zh')}，到期请求的 ${percent(pilingRatio ?? 0)} 在堆积。${gone.zh}测得的时间反映的是负载持续多久。`,
      },
      evidence,
      advice: {
        en: `Ask for at most about ${show(safe)}/s (${percent(safeShare)} of what it took) to measure times, or let \`dyno sweep --find\` look for the highest rate that meets your limits.`,
        zh: `测量延迟时请求速率不要超过约 ${show(safe)}/s（其承载能力的 ${percent(safeShare)}），或用 \`dyno sweep --find\` 寻找满足指标的最高速率。`,
      },
    };
  },
};

function open(early: number | null, late: number | null, lang: 'en' | 'zh'): string {
  const [a, b] = [early, late].map((value) => (value === null ? '?' : String(Math.round(value))));
  return lang === 'en' ? `grew from ${a} to ${b}` : `由 ${a} 增至 ${b}`;
}
