import { printable } from '../core/index.ts';
import type { Phrase } from '../core/index.ts';
import type { ShareEvent } from '../client/cluster/index.ts';

/** What a worker tells whoever started it; what the run calls itself are a stranger's words. */
export function sharePhrase(event: ShareEvent): Phrase {
  if (event.say === 'began') {
    const model = printable(event.model);
    const phase = event.phase === 'warmup' ? { en: 'warm-up', zh: '预热' } : { en: 'run', zh: '运行' };
    const { slots } = event;
    return {
      en: `${phase.en} of ${model} begins${slots === null ? '' : `, ${slots} in flight here`}`,
      zh: `${model} 的${phase.zh}开始${slots === null ? '' : `，本机并发 ${slots}`}`,
    };
  }
  if (event.say === 'ended')
    return { en: `share done: ${event.exchanges} requests`, zh: `份额完成：${event.exchanges} 个请求` };
  if (event.say === 'failed')
    return { en: `share not done: ${printable(event.why.en)}`, zh: `份额未完成：${printable(event.why.zh)}` };
  if (event.say === 'lost')
    return {
      en: 'this worker was silent for too long: its share was given to others',
      zh: '本 worker 静默过久：份额已分给其他机器',
    };
  return { en: 'the controller is gone: share given up', zh: '控制端已不在：放弃份额' };
}
