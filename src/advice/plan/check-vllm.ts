import { userError, verdictOf } from '../../core/index.ts';
import { findingsBy, info, invalid, warn } from './check-finding.ts';
import type { Rule } from './check-finding.ts';
import { apiServersFor, bestEstimate, frontTokensPerSec } from './front.ts';
import type { PlanCheck, PlanDocument } from './plan-schema.ts';
import { isServedText, servedSettings } from './served-settings.ts';
import type { ServedSettings } from './served-settings.ts';

interface ServedFacts extends ServedSettings {
  plan: PlanDocument | null;
}

/** What costs a running vLLM speed or answers, by its own words; a plan, where there is one, knows the lengths and the cards. */
const vllmRules: readonly Rule<ServedFacts>[] = [
  invalid('length-too-short', 'max_model_len', ({ maxModelLen, plan }) => {
    if (maxModelLen === null || plan === null || maxModelLen >= plan.vllm.maxModelLen) return null;
    return {
      evidence: { maxModelLen, needed: plan.vllm.maxModelLen },
      en: [
        `requests of ${plan.vllm.maxModelLen} tokens are refused, because it takes ${maxModelLen}`,
        `--max-model-len ${plan.vllm.maxModelLen}`,
      ],
      zh: [
        `${plan.vllm.maxModelLen} token 的请求会被拒绝，服务端上限为 ${maxModelLen}`,
        `--max-model-len ${plan.vllm.maxModelLen}`,
      ],
    };
  }),
  info('batch-below-cache', 'max_num_seqs', ({ maxNumSeqs, kvTokens, plan }) => {
    if (maxNumSeqs === null || kvTokens === null || plan === null) return null;
    const each = plan.workload.inputTokens + plan.workload.outputTokens;
    const fit = Math.floor(kvTokens / each);
    if (maxNumSeqs * 2 > fit) return null;
    return {
      evidence: { maxNumSeqs, fit },
      en: [
        `the KV cache holds ${fit} requests of ${each} tokens, and the batch ends at ${maxNumSeqs}`,
        'raise it as far as the promise on time per token allows; `dyno find` measures how far',
      ],
      zh: [
        `KV Cache 可容纳 ${fit} 条 ${each} token 的请求，而批次上限为 ${maxNumSeqs}`,
        '在每 Token 时延允许的范围内增大；可用 `dyno find` 实测',
      ],
    };
  }),
  warn('batch-beyond-cache', 'max_num_seqs', ({ maxNumSeqs, kvTokens, plan }) => {
    if (maxNumSeqs === null || kvTokens === null || plan === null) return null;
    const each = plan.workload.inputTokens + plan.workload.outputTokens;
    const fit = Math.floor(kvTokens / each);
    if (maxNumSeqs <= fit) return null;
    return {
      evidence: { maxNumSeqs, fit },
      en: [
        `${maxNumSeqs} requests of ${each} tokens do not fit into ${kvTokens} tokens of KV cache: beyond ${fit} they preempt each other`,
        `--max-num-seqs ${fit}, or more memory for the cache`,
      ],
      zh: [
        `${kvTokens} token 的 KV Cache 放不下 ${maxNumSeqs} 条 ${each} token 的请求：超过 ${fit} 条会互相抢占`,
        `--max-num-seqs ${fit}，或为缓存增加显存`,
      ],
    };
  }),
  info('prompts-in-pieces', 'max_num_batched_tokens', ({ maxBatchedTokens, plan }) => {
    if (maxBatchedTokens === null || plan === null || plan.workload.inputTokens <= maxBatchedTokens) return null;
    const pieces = Math.ceil(plan.workload.inputTokens / maxBatchedTokens);
    return {
      evidence: { maxBatchedTokens, pieces },
      en: [
        `a prompt of ${plan.workload.inputTokens} tokens takes ${pieces} steps`,
        'a larger budget shortens the first token and lengthens the gaps of the others',
      ],
      zh: [
        `${plan.workload.inputTokens} token 的提示词需要 ${pieces} 步`,
        '增大预算可缩短首 Token 时延，但会拉长其他请求的间隔',
      ],
    };
  }),
  warn('eager-steps', 'enforce_eager', ({ enforceEager }) => {
    if (enforceEager !== true) return null;
    return {
      en: [
        'each step launches every kernel by itself',
        'leave --enforce-eager out unless memory for graphs is missing',
      ],
      zh: ['每步逐个启动算子', '除非显存不足以容纳图，否则去掉 --enforce-eager'],
    };
  }),
  info('no-prefix-cache', 'enable_prefix_caching', ({ prefixCaching }) => {
    if (prefixCaching !== false) return null;
    return {
      en: [
        'prompts that begin alike are computed anew each time',
        '--enable-prefix-caching, unless you measure without it on purpose',
      ],
      zh: ['开头相同的提示词每次都会重新计算', '除非有意关闭，否则加上 --enable-prefix-caching'],
    };
  }),
  info('memory-left', 'gpu_memory_utilization', ({ memoryShare }) => {
    if (memoryShare === null || memoryShare >= 0.85) return null;
    return {
      evidence: { memoryShare },
      en: [
        `${Math.round((1 - memoryShare) * 100)} % of each card are left alone`,
        'raise --gpu-memory-utilization where nothing else uses the card',
      ],
      zh: [
        `每张卡有 ${Math.round((1 - memoryShare) * 100)} % 显存未使用`,
        '若无其他进程占用，可提高 --gpu-memory-utilization',
      ],
    };
  }),
  info('front-too-narrow', 'api_server_count', ({ apiServers, plan }) => {
    const most = bestEstimate(plan);
    const needed = apiServersFor(most);
    if (apiServers === null || apiServers >= needed) return null;
    return {
      evidence: { apiServers, estimatedTokensPerSec: Math.round(most) },
      en: [
        `the cards may give ${Math.round(most)} tokens/s, and a process that answers HTTP writes some ${frontTokensPerSec}`,
        `--api-server-count ${needed}`,
      ],
      zh: [
        `估计加速卡可达 ${Math.round(most)} tok/s，而单个 HTTP 进程约能写出 ${frontTokensPerSec}`,
        `--api-server-count ${needed}`,
      ],
    };
  }),
];

/** Everything wrong, risky or slow about a running vLLM, by its log or metrics page. A UserError where the text is neither. */
export function checkVllm(text: string, facts: { file: string; plan: PlanDocument | null }): PlanCheck {
  if (!isServedText(text))
    throw userError(
      'not-a-server-config',
      'is neither a MindIE config.json nor a log or metrics page of vLLM',
      '既不是 MindIE config.json，也不是 vLLM 的日志或指标页',
      'Give mindie-service/conf/config.json, what `vllm serve` printed from its start on, or the address of a running server.',
      '请给出 mindie-service/conf/config.json、`vllm serve` 启动以来的输出，或运行中服务的地址。',
      { flag: '--check', file: facts.file },
    );
  const findings = findingsBy(vllmRules, { ...servedSettings(text), plan: facts.plan });
  return { schema: 'llmdyno.plan-check/1', file: facts.file, verdict: verdictOf(findings) };
}
