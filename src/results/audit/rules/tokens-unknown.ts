import type { PointRule } from '../rule.ts';

/** An own run whose server told no usage. */
export const tokensUnknown: PointRule = {
  code: 'tokens-unknown',
  severities: ['warn'],
  meaning: {
    en: 'The server gave no token counts and none were counted here, so token rates and times per token are unknown.',
    zh: '服务器未返回 token 计数，客户端也未统计，因此 token 速率与每 token 时间未知。',
  },
  taughtBy: 'Clients that count chunks as tokens report speeds that depend on how the server groups its output.',
  check(point) {
    if (point.source.tool !== 'llmdyno' || point.counts.ok === 0) return null;
    if (point.outputTokens !== null || point.outputTokensPerSec !== null) return null;
    return {
      severity: 'warn',
      message: {
        en: 'The server told no usage: token rates and time per output token are unknown.',
        zh: '服务器未返回 usage：token 速率与每 token 时间未知。',
      },
      evidence: { ok: point.counts.ok, tokenSource: point.tokenSource.output },
      advice: {
        en: 'Switch usage on at the server (stream_options.include_usage), or give a tokenizer to count with.',
        zh: '在服务器端开启 usage（stream_options.include_usage），或提供分词器进行统计。',
      },
    };
  },
};
