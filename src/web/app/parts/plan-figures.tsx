import type { PlanDocument } from '../../../advice/plan/index.ts';
import { count, num } from '../format.ts';
import { t } from '../state/settings.ts';
import { Facts, Tiles } from './tiles.tsx';

/** Blocks, batch ranges and settings to begin with. */
export function PlanFigures({ plan }: { plan: PlanDocument }) {
  const { blocksPerRequest: per, maxBatchSize: batch, advice, vllm, largest } = plan;
  const tiles: [string, string, string][] = [
    [
      t('KV blocks', 'KV block 数'),
      count(plan.totalBlocks),
      t(`of ${plan.workload.blockSize} tokens`, `每个 ${plan.workload.blockSize} token`),
    ],
    [
      t('Blocks per request', '每请求 block'),
      `${per.min} · ${per.mean} · ${per.max}`,
      t('shortest, mean, longest', '最短、平均、最长'),
    ],
    ['maxBatchSize', `${count(batch.min)} · ${count(batch.mean)} · ${count(batch.max)}`, t('range', '范围')],
    [t('Fit in flight', '可同时在途'), count(plan.expectedConcurrent), t('sequences', '条序列')],
    [t('KV per token, per card', '每 Token KV（单卡）'), `${num(plan.kvBytesPerTokenPerCard / 1024)} KiB`, ''],
    [
      t('Longest single request', '单请求最长'),
      count(largest.contextTokens),
      largest.contextBoundBy === 'memory'
        ? t('tokens, bound by memory', 'token，受显存限制')
        : t('tokens, bound by the model', 'token，受模型限制'),
    ],
  ];
  const huawei = plan.cards.vendor === null || plan.cards.vendor === 'huawei';
  const settings: [string, number | string][] = huawei
    ? [
        ['maxBatchSize', advice.maxBatchSize],
        ['maxPrefillBatchSize', advice.maxPrefillBatchSize],
        ['maxPrefillTokens', advice.maxPrefillTokens],
        ['maxSeqLen', advice.maxSeqLen],
        ['maxInputTokenLen', advice.maxInputTokenLen],
        ['maxIterTimes', advice.maxIterTimes],
        ['supportSelectBatch', String(advice.supportSelectBatch)],
        ['npuMemSize', plan.npuMemSizeGiB],
      ]
    : [
        ['--max-num-seqs', vllm.maxNumSeqs],
        ['--max-num-batched-tokens', vllm.maxNumBatchedTokens],
        ['--max-model-len', vllm.maxModelLen],
        ['--gpu-memory-utilization', vllm.gpuMemoryUtilization],
        ['--block-size', vllm.blockSize],
      ];
  return (
    <>
      <Tiles id="plan-tiles" tiles={tiles.map(([name, value, unit]) => ({ name, value, unit }))} />
      <h3>
        {huawei ? t('Begin with (MindIE)', '建议初始配置（MindIE）') : t('Begin with (vLLM)', '建议初始配置（vLLM）')}
      </h3>
      <Facts
        facts={settings.map(([name, value]) => [
          name,
          <strong key={name}>{typeof value === 'number' ? num(value) : value}</strong>,
        ])}
      />
    </>
  );
}
