import { joined } from '../../../core/index.ts';
import type { Phrase, Summary } from '../../../core/index.ts';
import { roofOf } from '../../measure/index.ts';
import type { Roof } from '../../measure/index.ts';
import { timeFigure } from './short-figure.ts';

/** From these shares on a part of the card counts as full: a program that only read memory got 0.93 of an H200's sheet, matrix products 0.81. */
const fullMemoryRatio = 0.75;
const fullComputeRatio = 0.5;
/** Below this share a step is mostly neither weights nor cache. */
const idleStepRatio = 0.4;
/** A batch is full where the running ones stay at their most while others wait. */
const plateauRatio = 0.95;

/** What is full, and the knob to try first. */
interface Limit {
  /** The card waits for what is full, so that its shares say nothing of the card. */
  hidesCard: boolean;
  says: Phrase;
}

/** How far a point was from the limits of its cards, what was full, and what to try first; null = nothing is known of either. */
export function limitInWords(summary: Summary): Phrase | null {
  const roof = roofOf(summary);
  const limit = limitOf(summary, roof);
  const reach = roof === null || limit?.hidesCard === true ? null : reachInWords(roof);
  if (reach === null) return limit?.says ?? null;
  return limit === null ? reach : { en: `${reach.en} ${limit.says.en}`, zh: `${reach.zh}${limit.says.zh}` };
}

function reachInWords({ card, cards, step, promptComputeRatio }: Roof): Phrase | null {
  const name = cards > 1 ? `${cards} × ${card}` : card;
  const parts: Phrase[] = [];
  const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
  if (step !== null) {
    const sequences = Math.round(step.sequences);
    parts.push({
      en: `a step of ${timeFigure(step.measuredMs)} (${sequences} at once) reads memory at ${percent(step.memoryRatio)}`,
      zh: `每步 ${timeFigure(step.measuredMs)}（同时 ${sequences} 个序列），显存带宽利用率 ${percent(step.memoryRatio)}`,
    });
  }
  if (promptComputeRatio !== null) {
    parts.push({
      en: `prompts need ${percent(promptComputeRatio)} of its compute`,
      zh: `提示词占算力 ${percent(promptComputeRatio)}`,
    });
  }
  const { en, zh } = joined(parts);
  return parts.length === 0 ? null : { en: `Of what ${name} can do: ${en}.`, zh: `相对 ${name} 的上限：${zh}。` };
}

function limitOf(summary: Summary, roof: Roof | null): Limit | null {
  const found = (code: string): boolean =>
    summary.verdict.findings.some((finding) => finding.code === code && finding.severity !== 'info');
  if (summary.verdict.findings.some(({ severity }) => severity === 'invalid')) return null;
  if (found('front-bound'))
    return fullOf(
      'The front (the process that answers HTTP) is full; first: more of them (vLLM: --api-server-count).',
      '前端（HTTP 进程）已满；先尝试增加其数量（vLLM：--api-server-count）。',
      true,
    );
  if (summary.verdict.findings.some(({ code }) => code === 'kv-bound'))
    return fullOf(
      'The KV cache is full; first: more memory for it (--gpu-memory-utilization, npuMemSize) or a narrower format.',
      'KV Cache 已满；先为其增加显存（--gpu-memory-utilization、npuMemSize）或改用更窄的格式。',
    );
  if (batchIsFull(summary))
    return fullOf(
      'The batch is full while requests wait; first: max_num_seqs (MindIE: maxBatchSize).',
      '批次已满而请求在排队；先增大 max_num_seqs（MindIE：maxBatchSize）。',
    );
  return roof === null ? null : cardLimit(roof, typeof summary.server?.['front'] === 'object');
}

/** What limits a point whose front, cache and batch are not full: the card's compute, its memory, or nothing of it. */
function cardLimit({ step, promptComputeRatio }: Roof, frontSeen: boolean): Limit | null {
  if (promptComputeRatio !== null && promptComputeRatio >= fullComputeRatio)
    return fullOf(
      'Prompts fill the card; first: a prefix cache where they begin alike, shorter ones, or more cards.',
      '提示词已占满算力；先考虑前缀缓存（开头相同时）、缩短提示词或增加卡。',
    );
  if (step === null) return null;
  if (step.memoryRatio >= fullMemoryRatio)
    return fullOf(
      'Memory is nearly full speed; first: narrower weights (fp8, int8) or more cards.',
      '显存带宽接近上限；先考虑更窄的权重（fp8、int8）或增加卡。',
    );
  const rest = timeFigure(step.measuredMs - step.leastMs);
  if (step.memoryRatio < idleStepRatio)
    return fullOf(
      `${rest} of a step are neither weights nor cache; first: ${frontSeen ? '' : "the front's processor time (nobody read it here), then "}graphs (no --enforce-eager), a newer engine, a faster host core.`,
      `每步有 ${rest} 既非权重也非缓存；先检查${frontSeen ? '' : '前端进程的 CPU（本次未读到），再检查'}图模式（勿用 --enforce-eager）、引擎版本与主机单核速度。`,
    );
  return fullOf(
    'Nothing is full; first: more requests in flight, because a larger batch reads the same weights.',
    '均未占满；先增加并发，因为更大的批次读取同样的权重。',
  );
}

function batchIsFull({ server }: Summary): boolean {
  const running = server?.['running'] as { mean?: unknown; max?: unknown } | null | undefined;
  const waiting = server?.['waiting'] as { mean?: unknown } | null | undefined;
  if (typeof running?.mean !== 'number' || typeof running.max !== 'number' || typeof waiting?.mean !== 'number')
    return false;
  return waiting.mean >= 1 && running.max > 0 && running.mean >= plateauRatio * running.max;
}

function fullOf(en: string, zh: string, hidesCard = false): Limit {
  return { hidesCard, says: { en, zh } };
}
