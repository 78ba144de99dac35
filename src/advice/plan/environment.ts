import type { Advice } from './advice.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

/** MindIE's environment for these settings; empty on cards that MindIE does not run on. */
export function environmentFor(request: PlanRequest, advice: Advice): PlanDocument['environment'] {
  if (request.card !== null && request.card.vendor !== 'huawei') return [];
  const duo = request.card?.name.startsWith('310p') === true;
  const swaps = advice.maxPreemptCount > 0 && !duo;
  return [
    {
      name: 'NPU_MEMORY_FRACTION',
      value: String(request.memoryFraction),
      why: {
        en: 'part of the whole card that the engine may fill when npuMemSize is -1; raise it a little if loading the weights runs out of memory',
        zh: 'npuMemSize 为 -1 时引擎可占整卡显存的比例；加载权重 OOM 时可略微调高',
      },
    },
    {
      name: 'MIES_USE_MB_SWAPPER',
      value: swaps ? '1' : '0',
      why: duo
        ? { en: 'must stay off on Atlas 300I Duo', zh: 'Atlas 300I Duo 上必须关闭' }
        : {
            en: 'fast swapping; only of use with maxPreemptCount above 0 (the guide also spells it MIES_USE_MS_SWAPPER, which does nothing)',
            zh: '高性能 swap，仅在 maxPreemptCount 大于 0 时有用（指南另一处写成 MIES_USE_MS_SWAPPER，无效）',
          },
    },
    {
      name: 'MIES_RECOMPUTE_THRESHOLD',
      value: '0.5',
      why: {
        en: 'recompute begins when less than this part of the blocks can be given out; 3.x calls it MINDIE_LLM_RECOMPUTE_THRESHOLD (the guide’s export line misspells it THRESHHOLD)',
        zh: '可下发 block 比例低于该值时触发重计算；3.x 名为 MINDIE_LLM_RECOMPUTE_THRESHOLD（指南的 export 行误写为 THRESHHOLD）',
      },
    },
    {
      name: 'MINDIE_LOG_LEVEL',
      value: 'ERROR',
      why: {
        en: 'logging every step costs time; in 1.x and 2.x set LogConfig.logLevel to "Error" as well',
        zh: '逐步日志会拖慢推理；1.x、2.x 同时把 LogConfig.logLevel 设为 "Error"',
      },
    },
  ];
}
