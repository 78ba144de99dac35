import type { Finding } from '../../core/index.ts';
import { attentionKindOf } from '../../inputs/hardware/index.ts';
import type { Advice } from './advice.ts';
import type { BlocksPerRequest } from './capacity.ts';
import { findingsBy, info, warn } from './check-finding.ts';
import type { Rule } from './check-finding.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { PlanAsked, PlanRequest } from './plan-request.ts';
import { activationGiB } from './vllm-plan.ts';

/** What a note rests on. */
export interface NoteFacts {
  asked: PlanAsked;
  request: PlanRequest;
  memory: MemoryPlan;
  advice: Advice;
  perRequest: BlocksPerRequest;
  totalBlocks: number;
  formulaBlocks: number;
  /** At the advised batch, with no queue; null = not known. */
  estimatedTtftMs: number | null;
}

/** Whether MindIE may be what serves: on its cards, or where nobody named one. */
function mayBeMindie({ card }: PlanRequest): boolean {
  return card === null || card.vendor === 'huawei';
}

/** Whether the engine, left to itself, takes less than the plan gives. */
function takesLess({ request, memory }: NoteFacts): boolean {
  return mayBeMindie(request) && memory.engineMemSizeGiB < memory.npuMemSizeGiB;
}

/** The promised time per token, where it decides the batch; null = it does not. */
function decidingLimitMs({ request, advice }: NoteFacts): number | null {
  return request.goal === 'throughput' || advice.boundBy === 'memory' ? null : request.decodeLimitMs;
}

const notes: readonly Rule<NoteFacts>[] = [
  warn('assumed-lengths', null, ({ asked, request }) => {
    if (asked.inputTokens !== undefined && asked.outputTokens !== undefined) return null;
    return {
      evidence: { inputTokens: request.workload.inputTokens, outputTokens: request.workload.outputTokens },
      en: [
        'request lengths were not given and are assumed',
        'give --input-tokens and --output-tokens of your traffic: every batch size follows from them',
      ],
      zh: ['未给出请求长度，使用了假定值', '请按实际流量给出 --input-tokens 和 --output-tokens：所有批大小都由此得出'],
    };
  }),
  warn('longest-request-does-not-fit', null, ({ perRequest, totalBlocks }) => {
    if (totalBlocks >= perRequest.max) return null;
    return {
      evidence: { totalBlocks, blocksOfTheLongest: perRequest.max },
      en: [
        'one request of maximal length needs more blocks than there are',
        'lower --max-output-tokens, or use more cards or a narrower cache (--kv-dtype int8)',
      ],
      zh: ['一条最长的请求所需 block 已超过总数', '请减小 --max-output-tokens，或增加卡数、量化 KV（--kv-dtype int8）'],
    };
  }),
  warn('activations-tight', null, ({ request, memory, advice }) => {
    const needs = activationGiB(advice.maxPrefillTokens, request.shape.hiddenSize) + memory.runtimeGiB;
    const left = memory.totalGiB - memory.idleGiB - memory.weightsPerCardGiB - memory.npuMemSizeGiB;
    if (needs <= left) return null;
    return {
      evidence: { needsGiB: Number(needs.toFixed(2)), leftGiB: Number(left.toFixed(2)) },
      en: [
        `a prefill of ${advice.maxPrefillTokens} tokens needs about ${needs.toFixed(1)} GiB, and ${left.toFixed(1)} GiB are left`,
        'lower maxPrefillTokens or the memory fraction',
      ],
      zh: [
        `${advice.maxPrefillTokens} token 的 prefill 约需 ${needs.toFixed(1)} GiB，只剩 ${left.toFixed(1)} GiB`,
        '请调低 maxPrefillTokens 或显存比例',
      ],
    };
  }),
  warn('longer-than-the-model', null, ({ request, advice }) => {
    const made = request.shape.maxPositionTokens;
    if (made === null || advice.maxSeqLen <= made) return null;
    return {
      evidence: { maxSeqLen: advice.maxSeqLen, maxPositionTokens: made },
      en: [
        `maxSeqLen ${advice.maxSeqLen} is more than the ${made} tokens the model was made for`,
        'lower the maxima, or switch on the model’s rope scaling',
      ],
      zh: [`maxSeqLen ${advice.maxSeqLen} 超过模型支持的 ${made} token`, '请减小最大长度，或启用模型的 rope scaling'],
    };
  }),
  warn('uncounted-weights', null, ({ request }) => {
    if (request.shape.uncounted.length === 0 || request.weightsGiB !== null) return null;
    return {
      evidence: { parts: request.shape.uncounted.join(', ') },
      en: ['parts of this model are not counted in the weights', 'measure them: --weights DIR'],
      zh: ['该模型有一部分权重未计入', '请用 --weights 目录 实测'],
    };
  }),
  info('blocks-from-server', null, ({ request: { serverBlocks }, formulaBlocks, totalBlocks }) => {
    if (serverBlocks === null) return null;
    const change = totalBlocks / Math.max(1, formulaBlocks) - 1;
    return {
      ...(Math.abs(change) > 0.1 && { severity: 'warn' }),
      evidence: { serverBlocks: totalBlocks, formulaBlocks, line: serverBlocks.line },
      en: [
        `the server has ${totalBlocks} blocks (line ${serverBlocks.line}, ${serverBlocks.foundBy}); the formula gives ${formulaBlocks}`,
        'the server’s number is used; a large difference means another npuMemSize, block size or number of cards than given here',
      ],
      zh: [
        `服务端实际有 ${totalBlocks} 个 block（第 ${serverBlocks.line} 行，${serverBlocks.foundBy}），公式为 ${formulaBlocks}`,
        '采用服务端的值；差别大说明 npuMemSize、block 大小或卡数与此处给出的不同',
      ],
    };
  }),
  info('batch-of-server', null, ({ request, advice }) => {
    const runs = request.serverSettings.maxBatchSize;
    if (runs === null || runs === advice.maxBatchSize) return null;
    const fewer = runs < advice.maxBatchSize;
    return {
      evidence: { serverBatchSize: runs, maxBatchSize: advice.maxBatchSize },
      en: [
        `the server runs ${runs} sequences at most; the memory holds ${advice.maxBatchSize} of these requests`,
        fewer
          ? 'a larger batch may bring throughput: measure both'
          : 'a full server will preempt or swap: lower it, or shorten the requests',
      ],
      zh: [
        `服务端最多同时运行 ${runs} 个序列；显存可容纳 ${advice.maxBatchSize} 个这样的请求`,
        fewer ? '增大批可能提升吞吐：请分别实测' : '满载时会抢占或换出：请调小，或缩短请求',
      ],
    };
  }),
  warn('decode-limit-unreachable', null, (facts) => {
    const limitMs = decidingLimitMs(facts);
    if (limitMs === null || facts.advice.boundBy !== 'decode-limit-unreachable') return null;
    return {
      evidence: { decodeLimitMs: limitMs, maxBatchSize: facts.advice.maxBatchSize },
      en: [
        `by estimate not even one sequence decodes within ${limitMs} ms`,
        'use more cards, faster ones, or narrower weights; measure before you believe it',
      ],
      zh: [`按估算，单条请求的解码也达不到 ${limitMs} ms`, '请增加卡数、换更快的卡或量化权重；以实测为准'],
    };
  }),
  info('decode-limit-estimated', null, (facts) => {
    const limitMs = decidingLimitMs(facts);
    const { boundBy, maxBatchSize } = facts.advice;
    if (limitMs === null || boundBy !== 'decode-limit') return null;
    return {
      evidence: { decodeLimitMs: limitMs, maxBatchSize },
      en: [
        `maxBatchSize ${maxBatchSize} keeps decoding within ${limitMs} ms by estimate`,
        'begin there, measure, and search around it (dyno sweep --concurrency …)',
      ],
      zh: [
        `按估算 maxBatchSize ${maxBatchSize} 可把解码控制在 ${limitMs} ms 以内`,
        '以此为起点实测并在附近搜索（dyno sweep --concurrency …）',
      ],
    };
  }),
  warn('ttft-limit-unreachable', null, ({ request, estimatedTtftMs }) => {
    const limit = request.ttftLimitMs;
    if (limit === null || estimatedTtftMs === null || estimatedTtftMs <= limit) return null;
    return {
      evidence: { ttftLimitMs: limit, estimatedTtftMs: Number(estimatedTtftMs.toFixed(1)) },
      en: [
        `by estimate the prefill alone takes ${estimatedTtftMs.toFixed(0)} ms, more than the limit of ${limit} ms`,
        'use more or faster cards or shorter prompts; a queue only adds to it',
      ],
      zh: [
        `按估算仅 prefill 就需 ${estimatedTtftMs.toFixed(0)} ms，超过限制 ${limit} ms`,
        '请增加卡数、换更快的卡或缩短输入；排队只会更长',
      ],
    };
  }),
  info('assumed-idle', null, ({ request }) => {
    if (request.idleFrom !== 'assumed') return null;
    return {
      evidence: { idleGiB: request.idleGiB },
      en: [
        `what the idle card takes was not given: ${request.idleGiB} GiB assumed`,
        'read it from npu-smi, mx-smi or nvidia-smi and give --idle-gib',
      ],
      zh: [
        `未给出空闲占用，假定 ${request.idleGiB} GiB`,
        '请从 npu-smi、mx-smi 或 nvidia-smi 读取并用 --idle-gib 给出',
      ],
    };
  }),
  warn('engine-finds-no-room', null, (facts) => {
    const { memory, request } = facts;
    if (!takesLess(facts) || memory.engineMemSizeGiB !== 0) return null;
    const taken = memory.idleGiB + memory.weightsPerCardGiB + memory.runtimeGiB + 2;
    const least = Math.ceil((taken / memory.totalGiB) * 100) / 100;
    return {
      evidence: {
        npuMemSizeGiB: memory.npuMemSizeGiB,
        engineMemSizeGiB: memory.engineMemSizeGiB,
        memoryFraction: request.memoryFraction,
      },
      en: [
        `with npuMemSize -1 the engine finds no room: ${request.memoryFraction} of the card is less than system and weights take`,
        `write npuMemSize, or raise NPU_MEMORY_FRACTION to at least ${least}`,
      ],
      zh: [
        `npuMemSize 为 -1 时引擎没有可用空间：整卡的 ${request.memoryFraction} 还不够系统和权重`,
        `请显式写 npuMemSize，或把 NPU_MEMORY_FRACTION 调到至少 ${least}`,
      ],
    };
  }),
  info('engine-takes-less', null, (facts) => {
    const { npuMemSizeGiB, engineMemSizeGiB } = facts.memory;
    if (!takesLess(facts) || engineMemSizeGiB === 0) return null;
    return {
      evidence: { npuMemSizeGiB, engineMemSizeGiB },
      en: [
        `with npuMemSize -1 the engine would take ${engineMemSizeGiB} GiB less its runtime, because its fraction is of the whole card`,
        'write the number to use the rest, and watch the first minutes: on "out of memory" take 2 off',
      ],
      zh: [
        `npuMemSize 为 -1 时引擎只会取 ${engineMemSizeGiB} GiB 再减去运行时占用，因为它的比例按整卡计算`,
        '显式写出该值可用上其余显存；启动后观察几分钟，出现 out of memory 时减 2',
      ],
    };
  }),
  info('overcommitted', null, ({ request, advice, perRequest, totalBlocks }) => {
    const demand = advice.maxBatchSize * perRequest.max;
    if (demand <= totalBlocks) return null;
    const mindie = mayBeMindie(request);
    return {
      evidence: { batch: advice.maxBatchSize, blocksIfAllGrow: demand, totalBlocks },
      en: [
        `${advice.maxBatchSize} requests fit at their mean length; should all grow to the longest, ${demand} blocks would be needed and some would be recomputed`,
        `watch for preemptions under load; if they come, go towards the lower end of the range${mindie ? ', or set maxPreemptCount 1 or 2 with cpuMemSize 5 to 40 (--swap)' : ''}`,
      ],
      zh: [
        `按平均长度可容纳 ${advice.maxBatchSize} 条请求；若全部增长到最长，需要 ${demand} 个 block，部分请求会被重计算`,
        `压测时观察抢占次数；若出现，请向范围下限调整${mindie ? '，或设 maxPreemptCount 为 1~2 且 cpuMemSize 为 5~40（--swap）' : ''}`,
      ],
    };
  }),
  info('latent-cache-is-not-split', null, ({ request }) => {
    if (attentionKindOf(request.shape) !== 'mla') return null;
    return {
      evidence: { tensorParallel: request.parallel.tensor },
      en: [
        'latent attention (MLA): every card of a replica keeps the whole cache',
        'more tensor parallelism adds room only by thinner weights; data parallelism adds whole pools',
      ],
      zh: ['MLA：同一副本的每张卡都保存完整 KV', '增大张量并行只能靠摊薄权重腾出空间；数据并行则增加独立的 KV 池'],
    };
  }),
  info('kv-heads-copied', null, ({ request: { shape, parallel } }) => {
    if (attentionKindOf(shape) === 'mla' || parallel.tensor <= shape.kvHeads) return null;
    return {
      evidence: { kvHeads: shape.kvHeads, tensorParallel: parallel.tensor },
      en: [
        `${shape.kvHeads} KV heads over ${parallel.tensor} cards: heads are copied, the cache per card shrinks no further`,
        `use --tp ${shape.kvHeads} and --dp for the other cards`,
      ],
      zh: [
        `${shape.kvHeads} 个 KV 头分到 ${parallel.tensor} 张卡：头会被复制，单卡 KV 不再减小`,
        `可用 --tp ${shape.kvHeads}，其余的卡做 --dp`,
      ],
    };
  }),
  info('sliding-window', null, ({ request: { shape } }) => {
    if (shape.sliding === null) return null;
    const { windowTokens, layers } = shape.sliding;
    return {
      evidence: { windowTokens, layers },
      en: [
        `${layers} of ${shape.layers} layers look back ${windowTokens} tokens only`,
        'engines that free what lies before the window hold more than these blocks say; the plan counts every token',
      ],
      zh: [
        `${shape.layers} 层中有 ${layers} 层只回看 ${windowTokens} 个 token`,
        '会释放窗口外缓存的引擎可容纳更多；本方案按每个 token 都缓存计算',
      ],
    };
  }),
  info('many-links', null, ({ advice }) => {
    if (advice.clientConcurrency < 1000) return null;
    return {
      evidence: { clientConcurrency: advice.clientConcurrency, maxLinkNum: advice.maxLinkNum },
      en: [
        'MindIE takes 1000 connections at once unless maxLinkNum is raised, and MindIE Benchmark caps itself at 1000 silently',
        'set maxLinkNum to at least the client’s concurrency',
      ],
      zh: [
        'MindIE 默认只接受 1000 个连接（maxLinkNum），MindIE Benchmark 也会静默限制在 1000',
        '请把 maxLinkNum 设为不小于客户端并发',
      ],
    };
  }),
];

/** Everything a reader of this plan should know besides its numbers. */
export function notesOf(facts: NoteFacts): Finding[] {
  return findingsBy(notes, facts);
}
