import type { Finding } from '../../core/index.ts';
import { attentionKindOf } from '../../inputs/hardware/index.ts';
import type { Advice } from './advice.ts';
import type { BlocksPerRequest } from './capacity.ts';
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

type Note = (facts: NoteFacts) => Finding | null;

const note = (
  code: string,
  severity: Finding['severity'],
  evidence: Finding['evidence'],
  en: [string, string],
  zh: [string, string],
): Finding => ({ code, severity, evidence, message: en[0], advice: en[1], zh: { message: zh[0], advice: zh[1] } });

const assumedLengths: Note = ({ asked, request }) =>
  asked.inputTokens !== undefined && asked.outputTokens !== undefined
    ? null
    : note(
        'assumed-lengths',
        'warn',
        { inputTokens: request.workload.inputTokens, outputTokens: request.workload.outputTokens },
        [
          'request lengths were not given and are assumed',
          'give --input-tokens and --output-tokens of your traffic: every batch size follows from them',
        ],
        ['未给出请求长度，使用了假定值', '请按实际流量给出 --input-tokens 和 --output-tokens：所有批大小都由此得出'],
      );

const assumedIdle: Note = ({ request }) =>
  request.idleFrom !== 'assumed'
    ? null
    : note(
        'assumed-idle',
        'info',
        { idleGiB: request.idleGiB },
        [
          `what the idle card takes was not given: ${request.idleGiB} GiB assumed`,
          'read it from npu-smi, mx-smi or nvidia-smi and give --idle-gib',
        ],
        [`未给出空闲占用，假定 ${request.idleGiB} GiB`, '请从 npu-smi、mx-smi 或 nvidia-smi 读取并用 --idle-gib 给出'],
      );

const engineTakesLess: Note = ({ request, memory }) => {
  if (request.card !== null && request.card.vendor !== 'huawei') return null;
  if (memory.engineMemSizeGiB >= memory.npuMemSizeGiB) return null;
  const evidence = { npuMemSizeGiB: memory.npuMemSizeGiB, engineMemSizeGiB: memory.engineMemSizeGiB };
  if (memory.engineMemSizeGiB === 0) {
    const least =
      Math.ceil(((memory.idleGiB + memory.weightsPerCardGiB + memory.runtimeGiB + 2) / memory.totalGiB) * 100) / 100;
    return note(
      'engine-finds-no-room',
      'warn',
      { ...evidence, memoryFraction: request.memoryFraction },
      [
        `with npuMemSize -1 the engine finds no room: ${request.memoryFraction} of the card is less than system and weights take`,
        `write npuMemSize, or raise NPU_MEMORY_FRACTION to at least ${least}`,
      ],
      [
        `npuMemSize 为 -1 时引擎没有可用空间：整卡的 ${request.memoryFraction} 还不够系统和权重`,
        `请显式写 npuMemSize，或把 NPU_MEMORY_FRACTION 调到至少 ${least}`,
      ],
    );
  }
  return note(
    'engine-takes-less',
    'info',
    evidence,
    [
      `with npuMemSize -1 the engine would take ${memory.engineMemSizeGiB} GiB less its runtime, because its fraction is of the whole card`,
      'write the number to use the rest, and watch the first minutes: on "out of memory" take 2 off',
    ],
    [
      `npuMemSize 为 -1 时引擎只会取 ${memory.engineMemSizeGiB} GiB 再减去运行时占用，因为它的比例按整卡计算`,
      '显式写出该值可用上其余显存；启动后观察几分钟，出现 out of memory 时减 2',
    ],
  );
};

const activationsTight: Note = ({ request, memory, advice }) => {
  const needs = activationGiB(advice.maxPrefillTokens, request.shape.hiddenSize) + memory.runtimeGiB;
  const left = memory.totalGiB - memory.idleGiB - memory.weightsPerCardGiB - memory.npuMemSizeGiB;
  if (needs <= left) return null;
  return note(
    'activations-tight',
    'warn',
    { needsGiB: Number(needs.toFixed(2)), leftGiB: Number(left.toFixed(2)) },
    [
      `a prefill of ${advice.maxPrefillTokens} tokens needs about ${needs.toFixed(1)} GiB, and ${left.toFixed(1)} GiB are left`,
      'lower maxPrefillTokens or the memory fraction',
    ],
    [
      `${advice.maxPrefillTokens} token 的 prefill 约需 ${needs.toFixed(1)} GiB，只剩 ${left.toFixed(1)} GiB`,
      '请调低 maxPrefillTokens 或显存比例',
    ],
  );
};

const longestDoesNotFit: Note = ({ perRequest, totalBlocks }) =>
  totalBlocks >= perRequest.max
    ? null
    : note(
        'longest-request-does-not-fit',
        'warn',
        { totalBlocks, blocksOfTheLongest: perRequest.max },
        [
          'one request of maximal length needs more blocks than there are',
          'lower --max-output-tokens, or use more cards or a narrower cache (--kv-dtype int8)',
        ],
        ['一条最长的请求所需 block 已超过总数', '请减小 --max-output-tokens，或增加卡数、量化 KV（--kv-dtype int8）'],
      );

const overcommitted: Note = ({ request, advice, perRequest, totalBlocks }) => {
  const demand = advice.maxBatchSize * perRequest.max;
  if (demand <= totalBlocks) return null;
  const mindie = request.card === null || request.card.vendor === 'huawei';
  return note(
    'overcommitted',
    'info',
    { batch: advice.maxBatchSize, blocksIfAllGrow: demand, totalBlocks },
    [
      `${advice.maxBatchSize} requests fit at their mean length; should all grow to the longest, ${demand} blocks would be needed and some would be recomputed`,
      `watch for preemptions under load; if they come, go towards the lower end of the range${mindie ? ', or set maxPreemptCount 1 or 2 with cpuMemSize 5 to 40 (--swap)' : ''}`,
    ],
    [
      `按平均长度可容纳 ${advice.maxBatchSize} 条请求；若全部增长到最长，需要 ${demand} 个 block，部分请求会被重计算`,
      `压测时观察抢占次数；若出现，请向范围下限调整${mindie ? '，或设 maxPreemptCount 为 1~2 且 cpuMemSize 为 5~40（--swap）' : ''}`,
    ],
  );
};

const replicatedHeads: Note = ({ request }) => {
  const { kvHeads } = request.shape;
  if (attentionKindOf(request.shape) === 'mla') {
    return note(
      'latent-cache-is-not-split',
      'info',
      { tensorParallel: request.parallel.tensor },
      [
        'latent attention (MLA): every card of a replica keeps the whole cache',
        'more tensor parallelism adds room only by thinner weights; data parallelism adds whole pools',
      ],
      ['MLA：同一副本的每张卡都保存完整 KV', '增大张量并行只能靠摊薄权重腾出空间；数据并行则增加独立的 KV 池'],
    );
  }
  if (request.parallel.tensor <= kvHeads) return null;
  return note(
    'kv-heads-copied',
    'info',
    { kvHeads, tensorParallel: request.parallel.tensor },
    [
      `${kvHeads} KV heads over ${request.parallel.tensor} cards: heads are copied, the cache per card shrinks no further`,
      `use --tp ${kvHeads} and --dp for the other cards`,
    ],
    [
      `${kvHeads} 个 KV 头分到 ${request.parallel.tensor} 张卡：头会被复制，单卡 KV 不再减小`,
      `可用 --tp ${kvHeads}，其余的卡做 --dp`,
    ],
  );
};

const slidingWindow: Note = ({ request }) =>
  request.shape.sliding === null
    ? null
    : note(
        'sliding-window',
        'info',
        { windowTokens: request.shape.sliding.windowTokens, layers: request.shape.sliding.layers },
        [
          `${request.shape.sliding.layers} of ${request.shape.layers} layers look back ${request.shape.sliding.windowTokens} tokens only`,
          'engines that free what lies before the window hold more than these blocks say; the plan counts every token',
        ],
        [
          `${request.shape.layers} 层中有 ${request.shape.sliding.layers} 层只回看 ${request.shape.sliding.windowTokens} 个 token`,
          '会释放窗口外缓存的引擎可容纳更多；本方案按每个 token 都缓存计算',
        ],
      );

const beyondTheModel: Note = ({ request, advice }) => {
  const made = request.shape.maxPositionTokens;
  if (made === null || advice.maxSeqLen <= made) return null;
  return note(
    'longer-than-the-model',
    'warn',
    { maxSeqLen: advice.maxSeqLen, maxPositionTokens: made },
    [
      `maxSeqLen ${advice.maxSeqLen} is more than the ${made} tokens the model was made for`,
      'lower the maxima, or switch on the model’s rope scaling',
    ],
    [`maxSeqLen ${advice.maxSeqLen} 超过模型支持的 ${made} token`, '请减小最大长度，或启用模型的 rope scaling'],
  );
};

const uncounted: Note = ({ request }) =>
  request.shape.uncounted.length === 0 || request.weightsGiB !== null
    ? null
    : note(
        'uncounted-weights',
        'warn',
        { parts: request.shape.uncounted.join(', ') },
        ['parts of this model are not counted in the weights', 'measure them: --weights DIR'],
        ['该模型有一部分权重未计入', '请用 --weights 目录 实测'],
      );

const serverSays: Note = ({ request, formulaBlocks, totalBlocks }) => {
  if (request.serverBlocks === null) return null;
  const change = totalBlocks / Math.max(1, formulaBlocks) - 1;
  return note(
    'blocks-from-server',
    Math.abs(change) > 0.1 ? 'warn' : 'info',
    { serverBlocks: totalBlocks, formulaBlocks, line: request.serverBlocks.line },
    [
      `the server has ${totalBlocks} blocks (line ${request.serverBlocks.line}, ${request.serverBlocks.foundBy}); the formula gives ${formulaBlocks}`,
      'the server’s number is used; a large difference means another npuMemSize, block size or number of cards than given here',
    ],
    [
      `服务端实际有 ${totalBlocks} 个 block（第 ${request.serverBlocks.line} 行，${request.serverBlocks.foundBy}），公式为 ${formulaBlocks}`,
      '采用服务端的值；差别大说明 npuMemSize、block 大小或卡数与此处给出的不同',
    ],
  );
};

const serverBatch: Note = ({ request, advice }) => {
  const runs = request.serverSettings.maxBatchSize;
  if (runs === null || runs === advice.maxBatchSize) return null;
  return note(
    'batch-of-server',
    'info',
    { serverBatchSize: runs, maxBatchSize: advice.maxBatchSize },
    [
      `the server runs ${runs} sequences at most; the memory holds ${advice.maxBatchSize} of these requests`,
      runs < advice.maxBatchSize
        ? 'a larger batch may bring throughput: measure both'
        : 'a full server will preempt or swap: lower it, or shorten the requests',
    ],
    [
      `服务端最多同时运行 ${runs} 个序列；显存可容纳 ${advice.maxBatchSize} 个这样的请求`,
      runs < advice.maxBatchSize ? '增大批可能提升吞吐：请分别实测' : '满载时会抢占或换出：请调小，或缩短请求',
    ],
  );
};

const decodeLimit: Note = ({ advice, request }) => {
  if (request.goal === 'throughput' || request.decodeLimitMs === null || advice.boundBy === 'memory') return null;
  const unreachable = advice.boundBy === 'decode-limit-unreachable';
  return note(
    unreachable ? 'decode-limit-unreachable' : 'decode-limit-estimated',
    unreachable ? 'warn' : 'info',
    { decodeLimitMs: request.decodeLimitMs, maxBatchSize: advice.maxBatchSize },
    unreachable
      ? [
          `by estimate not even one sequence decodes within ${request.decodeLimitMs} ms`,
          'use more cards, faster ones, or narrower weights; measure before you believe it',
        ]
      : [
          `maxBatchSize ${advice.maxBatchSize} keeps decoding within ${request.decodeLimitMs} ms by estimate`,
          'begin there, measure, and search around it (dyno sweep --concurrency …)',
        ],
    unreachable
      ? [`按估算，单条请求的解码也达不到 ${request.decodeLimitMs} ms`, '请增加卡数、换更快的卡或量化权重；以实测为准']
      : [
          `按估算 maxBatchSize ${advice.maxBatchSize} 可把解码控制在 ${request.decodeLimitMs} ms 以内`,
          '以此为起点实测并在附近搜索（dyno sweep --concurrency …）',
        ],
  );
};

const ttftLimit: Note = ({ request, estimatedTtftMs }) => {
  const limit = request.ttftLimitMs;
  if (limit === null || estimatedTtftMs === null || estimatedTtftMs <= limit) return null;
  return note(
    'ttft-limit-unreachable',
    'warn',
    { ttftLimitMs: limit, estimatedTtftMs: Number(estimatedTtftMs.toFixed(1)) },
    [
      `by estimate the prefill alone takes ${estimatedTtftMs.toFixed(0)} ms, more than the limit of ${limit} ms`,
      'use more or faster cards or shorter prompts; a queue only adds to it',
    ],
    [
      `按估算仅 prefill 就需 ${estimatedTtftMs.toFixed(0)} ms，超过限制 ${limit} ms`,
      '请增加卡数、换更快的卡或缩短输入；排队只会更长',
    ],
  );
};

const manyLinks: Note = ({ advice }) =>
  advice.clientConcurrency < 1000
    ? null
    : note(
        'many-links',
        'info',
        { clientConcurrency: advice.clientConcurrency, maxLinkNum: advice.maxLinkNum },
        [
          'MindIE takes 1000 connections at once unless maxLinkNum is raised, and MindIE Benchmark caps itself at 1000 silently',
          'set maxLinkNum to at least the client’s concurrency',
        ],
        [
          'MindIE 默认只接受 1000 个连接（maxLinkNum），MindIE Benchmark 也会静默限制在 1000',
          '请把 maxLinkNum 设为不小于客户端并发',
        ],
      );

const notesInOrder: readonly Note[] = [
  assumedLengths,
  longestDoesNotFit,
  activationsTight,
  beyondTheModel,
  uncounted,
  serverSays,
  serverBatch,
  decodeLimit,
  ttftLimit,
  assumedIdle,
  engineTakesLess,
  overcommitted,
  replicatedHeads,
  slidingWindow,
  manyLinks,
];

/** Everything a reader of this plan should know besides its numbers. */
export function notesOf(facts: NoteFacts): Finding[] {
  return notesInOrder.map((make) => make(facts)).filter((found) => found !== null);
}
