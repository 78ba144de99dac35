import { mistake, UserError } from '../../core/index.ts';
import type { Mistake } from '../../core/index.ts';
import {
  cardsLike,
  findCard,
  findModel,
  gibBytes,
  modelsLike,
  numberFormatOf,
  parallelMistakes,
  readModelConfig,
} from '../../inputs/hardware/index.ts';
import type { Card, KnownModel, ModelShape, NumberFormat, Parallel } from '../../inputs/hardware/index.ts';
import { Asked } from './asked.ts';

/** What the settings are to be good for. */
export const goals = ['throughput', 'decode-limit', 'ttft-limit'] as const;
type Goal = (typeof goals)[number];

/** A block count that a server said itself. */
export interface ServerBlocks {
  blocks: number;
  /** The words it was found by. */
  foundBy: string;
  line: number;
}

/** Limits that a running server said of itself; null = it did not say. */
export interface ServerSettings {
  maxBatchSize: number | null;
  maxPrefillTokens: number | null;
}

/** What a person asks for, as words and numbers not yet checked; undefined = not said. */
export interface PlanAsked {
  modelName?: string;
  modelConfig?: unknown;
  /** Names the config's file in mistakes. */
  modelConfigFile?: string;
  cardName?: string;
  cardMemoryGiB?: number;
  cards?: number;
  idleGiB?: number;
  /** All weights together, as `du` says it or as told. */
  weightsGiB?: number;
  weightsFrom?: 'told' | 'folder';
  inputTokens?: number;
  outputTokens?: number;
  maxInputTokens?: number;
  maxOutputTokens?: number;
  blockSize?: number;
  tensorParallel?: number;
  pipelineParallel?: number;
  dataParallel?: number;
  expertParallel?: number;
  /** Speculative tokens of MTP modules; 0 = off. */
  mtpTokens?: number;
  weightFormat?: string;
  kvFormat?: string;
  memoryFraction?: number;
  gpuMemoryUtilization?: number;
  runtimeGiB?: number;
  goal?: string;
  decodeLimitMs?: number;
  ttftLimitMs?: number;
  /** Measured means, for the select-batch weights. */
  measuredPrefillMs?: number;
  measuredDecodeMs?: number;
  pricePerHour?: number;
  serverBlocks?: ServerBlocks;
  serverSettings?: ServerSettings;
  /** Let a full server swap requests out to host memory. */
  swap?: boolean;
}

/** A plan's question with everything settled. */
export interface PlanRequest {
  known: KnownModel | null;
  modelName: string;
  shape: ModelShape;
  card: Card | null;
  cardName: string;
  memoryGiB: number;
  idleGiB: number;
  idleFrom: 'told' | 'card' | 'assumed';
  parallel: Parallel;
  weightsGiB: number | null;
  weightsFrom: 'told' | 'folder' | 'config';
  weightFormat: NumberFormat | null;
  kvFormat: NumberFormat | null;
  mtpTokens: number;
  workload: { inputTokens: number; outputTokens: number; maxInputTokens: number; maxOutputTokens: number };
  blockSize: number;
  memoryFraction: number;
  gpuMemoryUtilization: number;
  runtimeGiB: number;
  goal: Goal;
  decodeLimitMs: number | null;
  ttftLimitMs: number | null;
  measuredPrefillMs: number | null;
  measuredDecodeMs: number | null;
  pricePerHour: number | null;
  serverBlocks: ServerBlocks | null;
  serverSettings: ServerSettings;
  swap: boolean;
}

/** What MindIE ships with: maxInputTokenLen, maxIterTimes, cacheBlockSize. */
const usual = {
  maxInputTokens: 2048,
  maxOutputTokens: 512,
  blockSize: 128,
  memoryFraction: 0.8,
  gpuMemoryUtilization: 0.9,
};

/** Driver and system of an idle card whose sheet we do not have: what MindIE reserves. */
const assumedIdleGiB = 3;

/** Settles what was asked; a UserError lists everything that is wrong or missing. */
export function settleRequest(said: PlanAsked): PlanRequest {
  const asked = new Asked(said as Readonly<Record<string, unknown>>);
  const model = settleModel(said, asked.mistakes);
  const card = settleCard(said, asked);
  const parallel = settleParallel(asked);
  const inputTokens = asked.whole('inputTokens', '--input-tokens', 1, 1024);
  const outputTokens = asked.whole('outputTokens', '--output-tokens', 1, 256);
  const maxOutputTokens = asked.whole(
    'maxOutputTokens',
    '--max-output-tokens',
    1,
    Math.max(usual.maxOutputTokens, outputTokens),
  );
  const maxInputTokens = asked.whole(
    'maxInputTokens',
    '--max-input-tokens',
    1,
    Math.max(usual.maxInputTokens, inputTokens),
  );
  asked.atLeast('--max-output-tokens', maxOutputTokens, '--output-tokens', outputTokens);
  asked.atLeast('--max-input-tokens', maxInputTokens, '--input-tokens', inputTokens);
  const request = {
    blockSize: asked.whole('blockSize', '--block-size', 1, usual.blockSize),
    memoryFraction: asked.ratio('memoryFraction', '--memory-fraction', usual.memoryFraction),
    gpuMemoryUtilization: asked.ratio('gpuMemoryUtilization', '--gpu-memory-utilization', usual.gpuMemoryUtilization),
    runtimeGiB: asked.size('runtimeGiB', '--runtime-gib') ?? 0,
    weightsGiB: asked.size('weightsGiB', '--weights-gib'),
    weightsFrom: said.weightsGiB === undefined ? ('config' as const) : (said.weightsFrom ?? ('told' as const)),
    weightFormat: formatOf(said.weightFormat, '--weight-dtype', asked.mistakes),
    kvFormat: formatOf(said.kvFormat, '--kv-dtype', asked.mistakes),
    mtpTokens: asked.whole('mtpTokens', '--mtp', 0, 0),
    workload: { inputTokens, outputTokens, maxInputTokens, maxOutputTokens },
    goal: goalOf(said.goal, asked.mistakes),
    decodeLimitMs: asked.size('decodeLimitMs', '--decode-limit'),
    ttftLimitMs: asked.size('ttftLimitMs', '--ttft-limit'),
    measuredPrefillMs: asked.size('measuredPrefillMs', '--measured-ttft'),
    measuredDecodeMs: asked.size('measuredDecodeMs', '--measured-decode'),
    pricePerHour: asked.size('pricePerHour', '--price-per-hour'),
    serverBlocks: said.serverBlocks ?? null,
    serverSettings: said.serverSettings ?? { maxBatchSize: null, maxPrefillTokens: null },
    swap: said.swap === true,
  };
  if (model !== null && parallel !== null) asked.mistakes.push(...parallelMistakes(model.shape, parallel));
  if (asked.mistakes.length > 0 || model === null || card === null || parallel === null)
    throw new UserError(asked.mistakes);
  return { ...model, ...card, parallel, ...request };
}

function settleModel(said: PlanAsked, mistakes: Mistake[]): Pick<PlanRequest, 'known' | 'modelName' | 'shape'> | null {
  if (said.modelConfig !== undefined) {
    try {
      const file = said.modelConfigFile ?? 'config.json';
      return { known: null, modelName: said.modelName ?? file, shape: readModelConfig(said.modelConfig, { file }) };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      mistakes.push(...error.mistakes);
      return null;
    }
  }
  const known = said.modelName === undefined ? null : findModel(said.modelName);
  if (known !== null) return { known, modelName: known.name, shape: known.shape };
  const near = modelsLike(said.modelName ?? '');
  mistakes.push({
    code: said.modelName === undefined ? 'model-missing' : 'model-not-known',
    message:
      said.modelName === undefined
        ? { en: 'which model?', zh: '未指定模型' }
        : { en: `no model named ${said.modelName}`, zh: `没有名为 ${said.modelName} 的模型` },
    hint: {
      en: `give --model NAME${near.length > 0 ? ` (perhaps ${near.join(', ')})` : ''} or --model-config PATH/config.json; dyno plan --list models shows all`,
      zh: `请用 --model 名称${near.length > 0 ? `（例如 ${near.join('、')}）` : ''} 或 --model-config 路径/config.json；dyno plan --list models 列出全部`,
    },
    place: { flag: '--model' },
  });
  return null;
}

type CardPart = Pick<PlanRequest, 'card' | 'cardName' | 'memoryGiB' | 'idleGiB' | 'idleFrom'>;

function settleCard(said: PlanAsked, asked: Asked): CardPart | null {
  const told = asked.size('cardMemoryGiB', '--card-memory-gib');
  const idle = asked.size('idleGiB', '--idle-gib');
  const card = said.cardName === undefined ? null : findCard(said.cardName);
  if (said.cardName !== undefined && card === null) {
    const near = cardsLike(said.cardName);
    asked.mistakes.push(
      mistake(
        'card-not-known',
        `no card named ${said.cardName}`,
        `没有名为 ${said.cardName} 的卡`,
        `${near.length > 0 ? `perhaps ${near.join(', ')}; ` : ''}dyno plan --list cards shows all, --card-memory-gib 64 does without`,
        `${near.length > 0 ? `例如 ${near.join('、')}；` : ''}dyno plan --list cards 列出全部，也可直接用 --card-memory-gib 64`,
        '--card',
      ),
    );
    return null;
  }
  const memoryGiB = told ?? (card === null ? null : card.memoryBytes / gibBytes);
  if (memoryGiB === null) {
    if (said.cardMemoryGiB === undefined)
      asked.missing('card-missing', '--card', { en: 'which card?', zh: '未指定加速卡' }, '--card 910b4-32g');
    return null;
  }
  if (memoryGiB === 0)
    asked.mistakes.push(asked.wrong('--card-memory-gib', { en: 'must be more than 0', zh: '必须大于 0' }));
  const sheetIdle = card?.idleBytes ?? null;
  return {
    card,
    cardName: card?.name ?? `${memoryGiB} GiB`,
    memoryGiB,
    idleGiB: idle ?? (sheetIdle === null ? assumedIdleGiB : sheetIdle / gibBytes),
    idleFrom: idle !== null ? 'told' : sheetIdle === null ? 'assumed' : 'card',
  };
}

function settleParallel(asked: Asked): Parallel | null {
  const cards = asked.optionalWhole('cards', '--cards');
  const pipeline = asked.whole('pipelineParallel', '--pp', 1, 1);
  const data = asked.whole('dataParallel', '--dp', 1, 1);
  const tensor = asked.optionalWhole('tensorParallel', '--tp');
  const expert = asked.optionalWhole('expertParallel', '--ep');
  if (asked.mistakes.some((one) => ['--cards', '--pp', '--dp', '--tp', '--ep'].includes(one.place?.flag ?? '')))
    return null;
  const all = cards ?? (tensor ?? 1) * pipeline * data;
  const share = tensor ?? all / (pipeline * data);
  if (share * pipeline * data === all && Number.isInteger(share)) return { tensor: share, pipeline, data, expert };
  asked.mistakes.push(
    mistake(
      'cards-do-not-add-up',
      `${all} cards are not tensor ${tensor ?? '?'} × pipeline ${pipeline} × data ${data}`,
      `${all} 张卡不等于 张量 ${tensor ?? '?'} × 流水线 ${pipeline} × 数据 ${data}`,
      'make --tp × --pp × --dp equal --cards',
      '请使 --tp × --pp × --dp 等于 --cards',
      '--cards',
    ),
  );
  return null;
}

function formatOf(word: string | undefined, flag: string, mistakes: Mistake[]): NumberFormat | null {
  if (word === undefined || word === 'auto') return null;
  const format = numberFormatOf(word);
  if (format === null) {
    mistakes.push(
      mistake(
        'format-not-known',
        `no number format named ${word}`,
        `未知的数值格式 ${word}`,
        'one of bf16, fp16, fp8, int8, int4, fp4, or auto',
        '可取 bf16、fp16、fp8、int8、int4、fp4 或 auto',
        flag,
      ),
    );
  }
  return format;
}

function goalOf(word: string | undefined, mistakes: Mistake[]): Goal {
  const goal = goals.find((known) => known === (word ?? 'throughput'));
  if (goal !== undefined) return goal;
  mistakes.push(
    mistake(
      'goal-not-known',
      `no goal named ${word}`,
      `未知的目标 ${word}`,
      `one of ${goals.join(', ')}`,
      `可取 ${goals.join('、')}`,
      '--goal',
    ),
  );
  return 'throughput';
}
