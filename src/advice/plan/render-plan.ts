import { cellsOf, padToCells, printable, say } from '../../core/index.ts';
import type { Lang, Phrase } from '../../core/index.ts';
import { kibBytes } from '../../inputs/hardware/index.ts';
import type { PlanDocument } from './plan-schema.ts';

const labels = {
  memory: { en: 'Memory of one card', zh: '单卡显存' },
  total: { en: 'total', zh: '总量' },
  idle: { en: 'system (idle)', zh: '系统占用（空闲）' },
  weights: { en: 'weights', zh: '权重' },
  kvCache: { en: 'KV cache (npuMemSize)', zh: 'KV Cache（npuMemSize）' },
  left: { en: 'left for running', zh: '运行时可用' },
  blocks: { en: 'Blocks and batches', zh: 'block 与批大小' },
  perToken: { en: 'KV per token, per card', zh: '每 token KV，单卡' },
  totalBlocks: { en: 'total blocks', zh: '总 block 数' },
  perRequest: { en: 'blocks per request', zh: '每请求 block' },
  batch: { en: 'maxBatchSize range', zh: 'maxBatchSize 范围' },
  inFlight: { en: 'sequences that fit in flight', zh: '可同时在途的序列' },
  begin: { en: 'Begin with', zh: '建议初始配置' },
  beginVllm: { en: 'Begin with (vLLM)', zh: '建议初始配置（vLLM）' },
  environment: { en: 'Environment', zh: '环境变量' },
  vllm: { en: 'The same for vLLM', zh: 'vLLM 对应配置' },
  largest: { en: 'What would still fit', zh: '还能放下什么' },
  context: { en: 'longest single request', zh: '单条请求最长' },
  model: { en: 'largest model', zh: '最大模型' },
  formulas: { en: 'Formulas', zh: '公式' },
  estimates: { en: 'Estimates from data sheets (not measured)', zh: '按数据表估算（非实测）' },
  unknownRates: {
    en: 'no estimates: give a card by name (--card) for its bandwidth and compute',
    zh: '无估算：请用 --card 指定卡名以获得带宽与算力',
  },
  guide: { en: 'The MindIE guide beside it', zh: '与 MindIE 指南对照' },
  ours: { en: 'ours', zh: '本工具' },
  theirs: { en: 'guide', zh: '指南' },
  notes: { en: 'Notes', zh: '说明' },
} as const satisfies Record<string, Phrase>;

const two = (value: number): string => value.toFixed(2);
const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** A plan for people: figures with their formulas, settings to begin with, notes. `withGuide` sets the MindIE guide's arithmetic beside ours. */
export function renderPlan(plan: PlanDocument, lang: Lang, withGuide: boolean): string {
  const t = (phrase: Phrase): string => say(phrase, lang);
  const sections: [Phrase | null, string[]][] = [
    [null, [headline(plan, lang)]],
    [labels.memory, memoryRows(plan, t)],
    [labels.blocks, blockRows(plan, t)],
    ...settings(plan, t),
    [labels.largest, largestRows(plan, t)],
    [labels.estimates, estimateRows(plan, t)],
    [labels.formulas, rowsOf(plan.formulas.map(({ name, formula, numbers }) => [name, formula, numbers]))],
    ...(withGuide ? ([[labels.guide, guideRows(plan, t, lang)]] as [Phrase, string[]][]) : []),
    [labels.notes, plan.notes.map((note) => `  [${note.severity}] ${noteText(note, lang)}`)],
  ];
  return `${sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => (title === null ? lines : [t(title), ...lines]).join('\n'))
    .join('\n\n')}\n`;
}

/** MindIE's settings first, and vLLM's beside them; vLLM's alone on cards that MindIE does not run on. */
function settings(plan: PlanDocument, t: (phrase: Phrase) => string): [Phrase, string[]][] {
  if (plan.cards.vendor !== null && plan.cards.vendor !== 'huawei') return [[labels.beginVllm, vllmRows(plan)]];
  return [
    [labels.begin, [...beginRows(plan), ...goalLines(plan, t)]],
    [labels.environment, rowsOf(plan.environment.map(({ name, value, why }) => [`${name}=${value}`, t(why)]))],
    [labels.vllm, vllmRows(plan)],
  ];
}

function headline(plan: PlanDocument, lang: Lang): string {
  const { cards, model, workload } = plan;
  const spread = `TP ${cards.tensor}${cards.pipeline > 1 ? ` PP ${cards.pipeline}` : ''}${cards.data > 1 ? ` DP ${cards.data}` : ''}${cards.expert === null ? '' : ` EP ${cards.expert}`}`;
  const size = model.parameters === null ? '' : `, ${short(model.parameters / 1e9)}B`;
  const name = `${printable(model.name)} (${model.attention.toUpperCase()}${size})`;
  const lengths = `${workload.inputTokens} → ${workload.outputTokens} (≤ ${workload.maxOutputTokens})`;
  return lang === 'zh'
    ? `${name}，${cards.count} × ${cards.name}（${spread}），输入 → 输出 ${lengths} token`
    : `${name} on ${cards.count} × ${cards.name} (${spread}), ${lengths} tokens in → out`;
}

function memoryRows(plan: PlanDocument, t: (phrase: Phrase) => string): string[] {
  const { memory } = plan;
  return rowsOf([
    [t(labels.total), `${two(memory.totalGiB)} GiB`],
    [t(labels.idle), `${two(memory.idleGiB)} GiB`],
    [t(labels.weights), `${two(memory.weightsPerCardGiB)} GiB`, t(weightsWords(plan))],
    [
      t(labels.kvCache),
      `${plan.npuMemSizeGiB} GiB`,
      t({ en: `with -1 the engine takes ${plan.engineMemSizeGiB}`, zh: `设为 -1 时引擎自取 ${plan.engineMemSizeGiB}` }),
    ],
    [
      t(labels.left),
      `${two(memory.leftGiB)} GiB`,
      t({
        en: `a prefill of ${plan.maxPrefillTokens} tokens needs about ${two(memory.activationGiB)}`,
        zh: `${plan.maxPrefillTokens} token 的 prefill 约需 ${two(memory.activationGiB)}`,
      }),
    ],
  ]);
}

function weightsWords({ memory }: PlanDocument): Phrase {
  const all = two(memory.weightsTotalGiB);
  if (memory.weightsFrom === 'config')
    return { en: `${all} in all, counted from the config`, zh: `共 ${all}，由配置计算` };
  if (memory.weightsFrom === 'folder')
    return { en: `${all} in all, measured from the folder`, zh: `共 ${all}，由目录实测` };
  return { en: `${all} in all, as told`, zh: `共 ${all}，用户给出` };
}

function blockRows(plan: PlanDocument, t: (phrase: Phrase) => string): string[] {
  const { blocksPerRequest: per, maxBatchSize: batch } = plan;
  const from =
    plan.totalBlocksFrom === 'server-log'
      ? t({ en: 'as the server says', zh: '服务端日志' })
      : t({ en: 'per replica, by formula', zh: '每副本，按公式' });
  return rowsOf([
    [
      t(labels.perToken),
      `${short(plan.kvBytesPerTokenPerCard / kibBytes)} KiB`,
      t({
        en: `${short(plan.kvBytesPerToken / kibBytes)} KiB in all`,
        zh: `合计 ${short(plan.kvBytesPerToken / kibBytes)} KiB`,
      }),
    ],
    [t(labels.totalBlocks), `${plan.totalBlocks}`, from],
    [
      t(labels.perRequest),
      `${per.min} / ${per.mean} / ${per.max}`,
      t({
        en: `at its start / mean / longest; ${per.expectedInFlight} expected in flight`,
        zh: `起始 / 平均 / 最长；在途期望 ${per.expectedInFlight}`,
      }),
    ],
    [t(labels.batch), `[${batch.min}, ${batch.max}]`, t({ en: `mean ${batch.mean}`, zh: `平均 ${batch.mean}` })],
    [t(labels.inFlight), `${plan.expectedConcurrent}`],
  ]);
}

function beginRows({ advice, npuMemSizeGiB, workload }: PlanDocument): string[] {
  const begin: [string, number | boolean][] = [
    ['maxBatchSize', advice.maxBatchSize],
    ['maxPrefillBatchSize', advice.maxPrefillBatchSize],
    ['maxPrefillTokens', advice.maxPrefillTokens],
    ['maxSeqLen', advice.maxSeqLen],
    ['maxInputTokenLen', advice.maxInputTokenLen],
    ['maxIterTimes', advice.maxIterTimes],
    ['npuMemSize', npuMemSizeGiB],
    ['cpuMemSize', advice.cpuMemSizeGiB],
    ['cacheBlockSize', workload.blockSize],
    ['supportSelectBatch', advice.supportSelectBatch],
    ['prefillTimeMsPerReq', advice.prefillTimeMsPerReq],
    ['decodeTimeMsPerReq', advice.decodeTimeMsPerReq],
    ['maxPreemptCount', advice.maxPreemptCount],
    ['client --concurrency', advice.clientConcurrency],
    ['maxLinkNum', advice.maxLinkNum],
  ];
  // Three beside each other.
  return rowsOf([0, 3, 6, 9, 12].map((at) => begin.slice(at, at + 3).flatMap((pair) => pair.map(String))));
}

/** Why select-batch and swapping stand as they do. */
function goalLines({ advice }: PlanDocument, t: (phrase: Phrase) => string): string[] {
  const { half, threeQuarters, nineTenths } = advice.waitRounds;
  const select = advice.supportSelectBatch
    ? {
        en: `supportSelectBatch true for ${advice.goal}: a waiting prompt sits out ${half}, ${threeQuarters}, ${nineTenths} decode rounds when the batch is 50, 75, 90 % full; a smaller prefillTimeMsPerReq lets it in sooner`,
        zh: `目标 ${advice.goal}，supportSelectBatch 为 true：批占用 50、75、90 % 时，等待的请求要等 ${half}、${threeQuarters}、${nineTenths} 轮解码；调小 prefillTimeMsPerReq 可更早进入`,
      }
    : {
        en: `supportSelectBatch false for ${advice.goal}: prompts always go first, at the cost of decode latency`,
        zh: `目标 ${advice.goal}，supportSelectBatch 为 false：prefill 始终优先，代价是解码时延`,
      };
  const swap =
    advice.maxPreemptCount > 0
      ? {
          en: 'swapping on: a full server moves requests to host memory',
          zh: '启用 swap：显存满时把请求换出到主机内存',
        }
      : {
          en: 'swapping off: a full server recomputes instead, which is usually cheaper (--swap to turn it on)',
          zh: '不启用 swap：显存满时改为重计算，通常更划算（--swap 可启用）',
        };
  return [select, swap].map((phrase) => `  ${t(phrase)}`);
}

function vllmRows({ vllm }: PlanDocument): string[] {
  return rowsOf([
    [
      '--gpu-memory-utilization',
      `${vllm.gpuMemoryUtilization}`,
      `${two(vllm.kvCacheGiB)} GiB KV, ${vllm.totalBlocks} × ${vllm.blockSize}`,
    ],
    [
      '--max-num-seqs',
      `${vllm.maxNumSeqs}`,
      `--max-num-batched-tokens ${vllm.maxNumBatchedTokens}  --max-model-len ${vllm.maxModelLen}`,
    ],
  ]);
}

function largestRows({ largest }: PlanDocument, t: (phrase: Phrase) => string): string[] {
  const bound =
    largest.contextBoundBy === 'model'
      ? { en: 'the model’s own limit', zh: '模型自身上限' }
      : { en: 'all blocks', zh: '全部 block' };
  const named =
    largest.model === null ? '' : t({ en: `of those known: ${largest.model}`, zh: `已收录模型中：${largest.model}` });
  return rowsOf([
    [t(labels.context), `${largest.contextTokens} tokens`, t(bound)],
    [t(labels.model), `${short(largest.parameters / 1e9)}B`, named],
  ]);
}

function estimateRows({ estimates }: PlanDocument, t: (phrase: Phrase) => string): string[] {
  if (estimates === null) return [`  ${t(labels.unknownRates)}`];
  const priced = estimates.points.some((point) => point.costPerMillionOutputTokens !== null);
  const head = [
    'batch',
    'TTFT ms',
    'TPOT ms',
    'tokens/s',
    t({ en: 'per card', zh: '单卡' }),
    'tokens/J',
    ...(priced ? [t({ en: 'per 1M tokens', zh: '每百万 token 成本' })] : []),
    t({ en: 'bound', zh: '瓶颈' }),
  ];
  const { assumed } = estimates;
  return [
    ...rowsOf([
      head,
      ...estimates.points.map((point) => [
        `${point.batch}`,
        short(point.ttftMs),
        short(point.tpotMs),
        short(point.outputTokensPerSec),
        short(point.outputTokensPerSecPerCard),
        point.outputTokensPerJoule === null ? '-' : two(point.outputTokensPerJoule),
        ...(priced ? [two(point.costPerMillionOutputTokens ?? 0)] : []),
        point.bound,
      ]),
    ]),
    t({
      en: `  assumed: ${assumed.memoryRatio * 100} % of bandwidth, ${assumed.computeRatio * 100} % of compute, ${assumed.layerMs} ms per layer, ${assumed.collectiveMs} ms per collective, ${assumed.hostMs} ms per step; measure before you promise`,
      zh: `  假定：带宽利用 ${assumed.memoryRatio * 100} %，算力利用 ${assumed.computeRatio * 100} %，每层 ${assumed.layerMs} ms，每次集合通信 ${assumed.collectiveMs} ms，每步 ${assumed.hostMs} ms；承诺之前请实测`,
    }),
  ];
}

function guideRows(plan: PlanDocument, t: (phrase: Phrase) => string, lang: Lang): string[] {
  const { guide } = plan;
  const batch = (range: PlanDocument['maxBatchSize']): string => `[${range.min}, ${range.max}], ${range.mean}`;
  const per = (blocks: { min: number; mean: number; max: number }): string =>
    `${blocks.min} / ${blocks.max} / ${blocks.mean}`;
  const table = rowsOf([
    ['', t(labels.theirs), t(labels.ours)],
    ['npuMemSize', `${guide.npuMemSizeGiB} GiB`, `${plan.npuMemSizeGiB} GiB`],
    ['Total Block Num', `${guide.totalBlocks}`, `${plan.totalBlocks}`],
    ['Block Num (min / max / mean)', per(guide.blocksPerRequest), per(plan.blocksPerRequest)],
    ['maxBatchSize (range, mean)', batch(guide.maxBatchSize), batch(plan.maxBatchSize)],
    ['maxPrefillBatchSize', `${guide.maxPrefillBatchSize}`, `${plan.maxPrefillBatchSize}`],
    ['maxPrefillTokens', `${guide.maxPrefillTokens}`, `${plan.maxPrefillTokens}`],
  ]);
  return [...table, ...plan.differences.map((d) => `  - ${d.code}: ${d.guide} → ${d.ours}. ${say(d.why, lang)}`)];
}

function noteText(note: PlanDocument['notes'][number], lang: Lang): string {
  const { message, advice } = lang === 'zh' ? note.zh : note;
  return lang === 'zh' ? `${message}。${advice}。` : `${message}; ${advice}.`;
}

/** Rows in left-justified columns, two spaces in. */
function rowsOf(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cellsOf(cell));
  return rows.map((row) => `  ${row.map((cell, at) => padToCells(cell, widths[at]!)).join('  ')}`.trimEnd());
}
