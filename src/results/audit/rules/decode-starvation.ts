import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { serverFigure } from '../server-figure.ts';
import { show, showMs } from '../wording.ts';
import { comesInBursts } from './text-in-bursts.ts';

/** Mean over median gap from which a few stalls, not slow steps, make the mean. */
const stallRatio = 5;
/** TTFT is low when it is this share of the latency or less. */
const lowTtft = 0.2;

/** Requests get their first token at once and then wait: prefill is served before decode, or decode is not batched. */
export const decodeStarvation: PointRule = {
  code: 'decode-starvation',
  severities: ['warn'],
  meaning: {
    en: 'The mean gap between tokens is five times the usual gap or more while the first token is quick: running requests are stalled by something else, most often by prefills that are let in one at a time.',
    zh: '平均 token 间隔为通常间隔的五倍以上，而首 token 很快：运行中的请求被其他工作阻塞，通常是被逐个插入的 prefill 阻塞。',
  },
  taughtBy:
    'MindIE with maxPrefillBatchSize 1 on QwQ-32B: gaps of 26.7 ms (p75) but 265 ms on average, decode batch 1, one stall of 107 s per request; 50 instead of 1 gave 9 times the speed.',
  check(point) {
    const usual = point.itlMs?.p50 ?? point.itlMs?.p75 ?? null;
    const mean = point.itlMs?.mean ?? null;
    const ttft = point.ttftMs?.mean ?? null;
    const latency = point.latencyMs?.mean ?? null;
    if (!known(usual) || !known(mean) || usual <= 0 || mean < stallRatio * usual) return null;
    if (known(ttft) && known(latency) && ttft > lowTtft * latency) return null;
    // What is held back by its sender is not starved.
    if (comesInBursts(point.itlMs)) return null;
    const prefill = serverFigure(point, 'PrefillBatchsize.max');
    const decode = serverFigure(point, 'DecoderBatchsize.max');
    const oneByOne = prefill === 1;
    const stall = serverFigure(point, 'MaxDecodeTime.mean');
    const stalled = stall === null ? null : showMs(stall);
    return {
      severity: 'warn',
      message: {
        en: `Decode starvation: the mean gap between tokens (${showMs(mean)}) is ${show(mean / usual)} times the usual one (${showMs(usual)}) while the first token takes ${known(ttft) ? showMs(ttft) : 'little'}${stalled === null ? '' : `; the longest stall of a request lasts ${stalled} on average`}${decode !== null && known(point.load.concurrency) && decode < point.load.concurrency ? `; decode batches hold ${decode} of ${point.load.concurrency} requests` : ''}.`,
        zh: `解码饥饿：平均 token 间隔（${showMs(mean)}）为通常间隔（${showMs(usual)}）的 ${show(mean / usual)} 倍，而首 token 仅需 ${known(ttft) ? showMs(ttft) : '很短时间'}${stalled === null ? '' : `；每个请求最长停顿平均 ${stalled}`}${decode !== null && known(point.load.concurrency) && decode < point.load.concurrency ? `；解码批次仅 ${decode}，而并发为 ${point.load.concurrency}` : ''}。`,
      },
      evidence: {
        meanGapMs: mean,
        usualGapMs: usual,
        ttftMs: ttft,
        prefillBatchMax: prefill,
        decodeBatchMax: decode,
        concurrency: point.load.concurrency,
      },
      advice: {
        en: oneByOne
          ? 'Raise maxPrefillBatchSize (it acts as 1 here; 0 means maxBatchSize, half of maxBatchSize is usual). More npuMemSize does not help.'
          : 'Let more requests share a prefill batch (MindIE: maxPrefillBatchSize, maxPrefillTokens; vLLM: chunked prefill, max_num_batched_tokens), or give decode more weight (supportSelectBatch).',
        zh: oneByOne
          ? '增大 maxPrefillBatchSize（此处实际为 1；0 表示取 maxBatchSize，通常设为 maxBatchSize 的一半）。增大 npuMemSize 无效。'
          : '让更多请求共享 prefill 批次（MindIE：maxPrefillBatchSize、maxPrefillTokens；vLLM：chunked prefill、max_num_batched_tokens），或提高解码优先级（supportSelectBatch）。',
      },
    };
  },
};
