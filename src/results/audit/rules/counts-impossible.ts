import { countLimits } from '../../measure/index.ts';
import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** A server that counts more tokens than its answers can hold. */
export const countsImpossible: PointRule = {
  code: 'counts-impossible',
  severities: ['info', 'invalid'],
  meaning: {
    en: 'Answers hold more output tokens by the usage of the server than their characters and events allow: more than three a character, eight an event and 32 that nobody shows; reasoning that the server tells is excused. From 1 % of the answers on all figures per token are null.',
    zh: '服务器 usage 所报的输出 token 数超过回答的字符与事件所能容纳的数量（每字符 3 个、每事件 8 个，另加 32 个不可见 token）；服务器已说明的推理 token 不计。达到回答的 1% 时，所有与 token 有关的数值均为空。',
  },
  taughtBy:
    'A server that wrote 20 chunks of two letters and "completion_tokens": 1000 was given 37,035 tokens a second, "clean".',
  check({ impossibleCounts, counts }) {
    if (impossibleCounts === undefined || impossibleCounts === 0) return null;
    const share = impossibleCounts / Math.max(1, counts.ok);
    const grave = share >= countLimits.share;
    return {
      severity: grave ? 'invalid' : 'info',
      message: {
        en: `In ${impossibleCounts} of ${counts.ok} answers (${percent(share)}) the server counts more output tokens than the text and the events that came can hold${grave ? ': figures per token are left out' : ''}.`,
        zh: `${counts.ok} 个回答中有 ${impossibleCounts} 个（${percent(share)}）的输出 token 数超过了收到的文本与事件所能容纳的数量${grave ? '：与 token 有关的数值不予给出' : ''}。`,
      },
      evidence: { impossibleCounts, ok: counts.ok },
      advice: {
        en: 'Look at one answer with its usage (curl). Requests per second and times of whole requests hold; for tokens, count with a tokenizer of your own (--tokenizer) on a server that tells no usage, or mend the server.',
        zh: '请查看一个回答及其 usage（curl）。每秒请求数与整个请求的时间仍然有效；token 数请在不返回 usage 的服务器上用 --tokenizer 自行统计，或修正服务器。',
      },
    };
  },
};
