import { attentionKindOf } from '../../inputs/hardware/index.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

/** The figures of ours that are compared. */
type OurFigures = Pick<
  PlanDocument,
  | 'kvBytesPerTokenPerCard'
  | 'npuMemSizeGiB'
  | 'engineMemSizeGiB'
  | 'totalBlocks'
  | 'blocksPerRequest'
  | 'maxBatchSize'
  | 'maxPrefillBatchSize'
  | 'maxPrefillTokens'
>;

/** Every difference that shows in this plan. */
export function guideDifferences(
  request: PlanRequest,
  guide: PlanDocument['guide'],
  ours: OurFigures,
): PlanDocument['differences'] {
  const { shape } = request;
  const times = (guide.kvBytesPerTokenPerCard / ours.kvBytesPerTokenPerCard).toFixed(2).replace(/\.?0+$/, '');
  const found: PlanDocument['differences'] = [];
  if (guide.kvBytesPerTokenPerCard !== ours.kvBytesPerTokenPerCard) {
    found.push({
      code: 'head-size',
      guide: `${guide.kvBytesPerTokenPerCard} B`,
      ours: `${ours.kvBytesPerTokenPerCard} B`,
      why:
        attentionKindOf(shape) === 'mla'
          ? {
              en: 'latent attention keeps one compressed vector per token on every card; the guide counts hidden_size, split over cards',
              zh: 'MLA 每个 token 只缓存一个压缩向量且每卡都有完整一份；指南按 hidden_size 计并平分到各卡',
            }
          : {
              en: `the guide takes hidden / num_key_value_heads (${shape.hiddenSize / shape.kvHeads}) for the head size; it is head_dim, or hidden / num_attention_heads (${shape.headDim}), so its cache is ${times} times too large`,
              zh: `指南把 hidden / num_key_value_heads（${shape.hiddenSize / shape.kvHeads}）当作头大小；应为 head_dim 或 hidden / num_attention_heads（${shape.headDim}），因此其缓存大了 ${times} 倍`,
            },
    });
    found.push({
      code: 'total-blocks',
      guide: `${guide.totalBlocks}`,
      ours: `${ours.totalBlocks}`,
      why: { en: 'follows from the head size', zh: '由头大小的差别导致' },
    });
    found.push({
      code: 'batch-range',
      guide: `[${guide.maxBatchSize.min}, ${guide.maxBatchSize.max}], mean ${guide.maxBatchSize.mean}`,
      ours: `[${ours.maxBatchSize.min}, ${ours.maxBatchSize.max}], mean ${ours.maxBatchSize.mean}`,
      why: {
        en: 'follows from the blocks; earlier editions of the guide (1.0.RC2 to 1.0.0) have the right range, and later ones relabelled the same measurements with smaller batch sizes, so do not use its measured numbers as a reference',
        zh: '由 block 数导致；早期版本（1.0.RC2 至 1.0.0）的范围是对的，后来的版本给同一批实测数据换上了较小的 batch，因此不要把指南中的实测值当作参考',
      },
    });
  }
  if (
    guide.blocksPerRequest.mean !== ours.blocksPerRequest.mean ||
    guide.blocksPerRequest.max !== ours.blocksPerRequest.max
  ) {
    found.push({
      code: 'separate-ceilings',
      guide: `${guide.blocksPerRequest.mean} / ${guide.blocksPerRequest.max}`,
      ours: `${ours.blocksPerRequest.mean} / ${ours.blocksPerRequest.max}`,
      why: {
        en: 'prompt and answer share blocks, so the sum is rounded up once; rounding each adds up to one block',
        zh: '输入与输出共用 block，应对总长取一次上整；分别取整最多多算一个',
      },
    });
  }
  found.push(
    {
      code: 'floor-placement',
      guide: 'Floor[…] × 0.8',
      ours: `floor(… × ${request.memoryFraction}) = ${ours.npuMemSizeGiB}`,
      why: {
        en: 'the guide’s worked line rounds before multiplying, which gives no whole number (21 × 0.8 = 16.8 in its example); its formula in words rounds after',
        zh: '指南算例先取整再乘系数，得到的不是整数（其例 21 × 0.8 = 16.8）；文字公式则是先乘后取整',
      },
    },
    {
      code: 'fraction-of-total',
      guide: `${guide.npuMemSizeGiB} GiB`,
      ours: `${ours.engineMemSizeGiB} GiB`,
      why: {
        en: 'left to itself (npuMemSize -1) the engine takes the fraction of the whole card and subtracts weights and system from that, so it ends up with less than the guide’s formula',
        zh: '让引擎自行决定（npuMemSize 为 -1）时，它先取整卡的比例再减去权重和系统占用，得到的比指南公式少',
      },
    },
    {
      code: 'prefill-limits',
      guide: `${guide.maxPrefillBatchSize} / ${guide.maxPrefillTokens}`,
      ours: `${ours.maxPrefillBatchSize} / ${ours.maxPrefillTokens}`,
      why: {
        en: `at ${request.workload.inputTokens} input tokens ${guide.maxPrefillTokens} prefill tokens hold ${Math.floor(guide.maxPrefillTokens / request.workload.inputTokens)} prompts, so half of maxBatchSize is a limit that never binds; maxPrefillTokens must also be at least maxInputTokenLen`,
        zh: `输入 ${request.workload.inputTokens} token 时 ${guide.maxPrefillTokens} 个 prefill token 只容 ${Math.floor(guide.maxPrefillTokens / request.workload.inputTokens)} 条请求，取 maxBatchSize 的一半永远不会起作用；且 maxPrefillTokens 不得小于 maxInputTokenLen`,
      },
    },
    {
      code: 'start-value',
      guide: `${guide.startBatchSize}`,
      ours: `${ours.maxBatchSize.mean}`,
      why: {
        en: 'the guide begins at 200 without a reason; the mean request is where memory is full',
        zh: '指南的初始值 200 没有依据；平均请求长度对应的批大小才是显存用满之处',
      },
    },
  );
  return found;
}
