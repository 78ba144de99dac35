import { info, invalid, warn } from './check-finding.ts';
import type { Rule } from './check-finding.ts';
import { whole } from './check-mindie-rules.ts';
import type { MindieFacts } from './check-mindie-rules.ts';

/** Settings that are allowed, and cost answers, speed or memory all the same. The plan, where there is one, knows the model and cards. */
export const traps: readonly Rule<MindieFacts>[] = [
  warn('answers-cut-short', 'maxIterTimes', ({ schedule, deploy }) => {
    const cap = whole(schedule['maxIterTimes']);
    const room = (whole(deploy['maxSeqLen']) ?? 0) - (whole(deploy['maxInputTokenLen']) ?? 0);
    if (cap === null || (cap > 512 && cap >= room)) return null;
    return {
      evidence: { maxIterTimes: cap, roomForOutput: room > 0 ? room : null },
      en: [
        `every answer stops at ${cap} tokens, whatever max_tokens a client asks for`,
        'set it to the longest answer you mean to give, up to maxSeqLen; 512 is only the shipped default',
      ],
      zh: [
        `无论客户端 max_tokens 多大，输出都会在 ${cap} token 处截断`,
        '请设为期望的最长输出（不超过 maxSeqLen）；512 只是默认值',
      ],
    };
  }),
  warn('prefill-one-by-one', 'maxPrefillBatchSize', ({ schedule }) => {
    if (schedule['maxPrefillBatchSize'] !== 1 || (whole(schedule['maxBatchSize']) ?? 1) <= 1) return null;
    return {
      en: [
        '1 lets prompts in one at a time, and decoding may never batch',
        'a published run of QwQ-32B went from 36 to 327 tokens/s with 50 in place of 1; use half of maxBatchSize',
      ],
      zh: [
        '为 1 时请求只能逐条进入，解码可能始终无法组批',
        '有公开实测：QwQ-32B 由 1 改为 50 后吞吐从 36 升到 327 token/s；建议取 maxBatchSize 的一半',
      ],
    };
  }),
  warn('links-below-batch', 'maxLinkNum', ({ server, schedule }) => {
    const [links, batch] = [whole(server['maxLinkNum']) ?? 1000, whole(schedule['maxBatchSize'])];
    if (batch === null || links >= batch) return null;
    return {
      evidence: { maxLinkNum: links, maxBatchSize: batch },
      en: [
        `${links} connections cannot fill a batch of ${batch}`,
        'twice as many wait behind them and the next is refused; raise it (up to 4096) or lower maxBatchSize',
      ],
      zh: [
        `${links} 个连接无法填满 ${batch} 的批`,
        '其后再排队两倍数量，更多则被拒绝；请调大（最多 4096）或减小 maxBatchSize',
      ],
    };
  }),
  warn('input-leaves-no-room', 'maxInputTokenLen', ({ deploy }) => {
    const [input, all] = [whole(deploy['maxInputTokenLen']), whole(deploy['maxSeqLen'])];
    if (input === null || all === null || input < all) return null;
    return {
      evidence: { maxInputTokenLen: input, maxSeqLen: all },
      en: [
        `${input} leaves no room for an answer in maxSeqLen ${all}`,
        'the server bends it to maxSeqLen − 1; make maxSeqLen the longest input plus the longest answer',
      ],
      zh: [
        `${input} 在 maxSeqLen ${all} 中没有给输出留空间`,
        '服务会改为 maxSeqLen − 1；maxSeqLen 应为最长输入加最长输出',
      ],
    };
  }),
  warn('memory-in-the-wrong-field', 'cpuMemSize', ({ model, schedule }) => {
    const host = whole(model['cpuMemSize']) ?? 0;
    if (host === 0 || model['npuMemSize'] !== undefined || (whole(schedule['maxPreemptCount']) ?? 0) > 0) return null;
    return {
      evidence: { cpuMemSize: host },
      en: [
        `${host} is host memory for swapping, which is off, and npuMemSize is not given`,
        'did you mean npuMemSize? The tuning guide’s example has this slip',
      ],
      zh: [
        `${host} 是用于 swap 的主机内存（未启用），而 npuMemSize 没有给出`,
        '是否本意为 npuMemSize？调优指南的示例有此笔误',
      ],
    };
  }),
  warn('stage-policy-overruled', 'stageSelectPolicy', ({ schedule }) => {
    if (
      schedule['supportSelectBatch'] !== true ||
      schedule['stageSelectPolicy'] === undefined ||
      schedule['stageSelectPolicy'] === 1
    )
      return null;
    return {
      en: [
        'is overruled: supportSelectBatch true means policy 1',
        'set supportSelectBatch false to use another policy',
      ],
      zh: ['不起作用：supportSelectBatch 为 true 即策略 1', '要用其他策略请将 supportSelectBatch 设为 false'],
    };
  }),
  warn('full-text-in-every-chunk', 'fullTextEnabled', ({ server }) => {
    if (server['fullTextEnabled'] !== true) return null;
    return {
      en: [
        'every streamed chunk repeats the whole answer so far',
        'set it false: traffic and parsing grow with the square of the answer',
      ],
      zh: ['流式每个 chunk 都重复已生成的全文', '请设为 false：流量与解析开销随输出长度平方增长'],
    };
  }),
  info('logging-costs', 'logLevel', ({ log }) => {
    const level = log['logLevel'] ?? log['dynamicLogLevel'];
    if (typeof level !== 'string' || !/^(verbose|debug|info)$/i.test(level)) return null;
    return {
      en: ['logs every request', 'use Error when measuring'],
      zh: ['会记录每个请求', '压测时请用 Error'],
    };
  }),
  info('ignored-switch', 'ScheduleConfig', ({ schedule }) => {
    const ignored = ['enablePrefixCache', 'enableSplit'].filter((key) => Object.hasOwn(schedule, key));
    if (ignored.length === 0) return null;
    return {
      field: ignored.join(', '),
      en: ['is ignored since 1.0.RC3', 'use plugin_params: prefix_cache or splitfuse'],
      zh: ['自 1.0.RC3 起被忽略', '请改用 plugin_params：prefix_cache 或 splitfuse'],
    };
  }),
  info('weights-without-select', 'prefillTimeMsPerReq', ({ schedule }) => {
    if (schedule['supportSelectBatch'] !== false) return null;
    const [prefill, decode] = [whole(schedule['prefillTimeMsPerReq']), whole(schedule['decodeTimeMsPerReq'])];
    if ((prefill === null || prefill === 150 || prefill === 600) && (decode === null || decode === 50)) return null;
    return {
      en: [
        'has no effect while supportSelectBatch is false',
        'prefill always goes first; set supportSelectBatch true to weigh them',
      ],
      zh: ['supportSelectBatch 为 false 时不起作用', '此时总是 prefill 优先；要权衡请设为 true'],
    };
  }),
  invalid('more-memory-than-there-is', 'npuMemSize', ({ model, plan }) => {
    const asked = whole(model['npuMemSize']);
    if (plan === null || asked === null || asked < 0) return null;
    const room = plan.memory.totalGiB - plan.memory.idleGiB - plan.memory.weightsPerCardGiB - plan.memory.activationGiB;
    if (asked <= room) return null;
    return {
      evidence: { npuMemSize: asked, roomGiB: Number(room.toFixed(2)) },
      en: [
        `${asked} GiB do not fit: ${room.toFixed(1)} GiB are left beside system, weights and activations`,
        `use ${plan.npuMemSizeGiB}, or -1 to let the engine decide`,
      ],
      zh: [
        `${asked} GiB 放不下：除去系统、权重和激活后只剩 ${room.toFixed(1)} GiB`,
        `请用 ${plan.npuMemSizeGiB}，或 -1 由引擎决定`,
      ],
    };
  }),
  info('memory-unused', 'npuMemSize', ({ model, plan }) => {
    const asked = whole(model['npuMemSize']);
    if (plan === null || asked === null || asked < 0 || asked >= plan.npuMemSizeGiB * 0.7) return null;
    return {
      evidence: { npuMemSize: asked, planned: plan.npuMemSizeGiB },
      en: [
        `${asked} of about ${plan.npuMemSizeGiB} GiB that could hold KV cache`,
        'raise it if the blocks run out under load; it changes nothing while they do not',
      ],
      zh: [
        `可用于 KV Cache 的约 ${plan.npuMemSizeGiB} GiB 中只用了 ${asked}`,
        '负载下 block 不够时请调大；够用时调大没有效果',
      ],
    };
  }),
  warn('batch-above-blocks', 'maxBatchSize', ({ schedule, plan }) => {
    const batch = whole(schedule['maxBatchSize']);
    if (plan === null || batch === null || batch <= plan.maxBatchSize.max) return null;
    return {
      evidence: { maxBatchSize: batch, mostByBlocks: plan.maxBatchSize.max },
      en: [
        `${batch} requests cannot all have blocks: at most ${plan.maxBatchSize.max} fit when each has just begun`,
        `stay within [${plan.maxBatchSize.min}, ${plan.maxBatchSize.max}], begin at ${plan.maxBatchSize.mean}`,
      ],
      zh: [
        `block 不够 ${batch} 条请求：刚开始时最多容纳 ${plan.maxBatchSize.max} 条`,
        `请在 [${plan.maxBatchSize.min}, ${plan.maxBatchSize.max}] 内，从 ${plan.maxBatchSize.mean} 开始`,
      ],
    };
  }),
  invalid('batch-above-duo', 'maxBatchSize', ({ schedule, plan }) => {
    const batch = whole(schedule['maxBatchSize']);
    if (plan === null || !plan.cards.name.startsWith('310p') || batch === null || batch <= 2000) return null;
    return {
      evidence: { maxBatchSize: batch, max: 2000 },
      en: [`${batch} is more than Atlas 300I Duo takes (2000)`, 'lower it'],
      zh: [`${batch} 超过 Atlas 300I Duo 的上限（2000）`, '请调小'],
    };
  }),
];
