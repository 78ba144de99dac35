import type { Mistake } from '../../core/index.ts';
import { mistake } from '../../core/index.ts';
import type { ModelShape } from './model-shape.ts';

/** How one model is spread over cards: cards = tensor × pipeline × data. */
export interface Parallel {
  /** Cards that share each layer. */
  tensor: number;
  /** Stages of layers. */
  pipeline: number;
  /** Independent copies of the attention, each with a KV pool of its own. */
  data: number;
  /** Cards that share the routed experts; null = the experts are split as everything else is. */
  expert: number | null;
}

/** How many cards a spread takes. */
export function cardsOf(parallel: Parallel): number {
  return parallel.tensor * parallel.pipeline * parallel.data;
}

/** What is wrong with spreading this shape that way; empty = nothing. */
export function parallelMistakes(shape: ModelShape, parallel: Parallel): Mistake[] {
  const mistakes: Mistake[] = [];
  const { tensor, pipeline, expert } = parallel;
  if (shape.attentionHeads % tensor !== 0) {
    const fits = divisors(shape.attentionHeads).join(', ');
    mistakes.push(
      mistake(
        'tensor-parallel-does-not-divide-heads',
        `${shape.attentionHeads} attention heads cannot be split over ${tensor} cards`,
        `${shape.attentionHeads} 个注意力头不能平均分到 ${tensor} 张卡`,
        `use a tensor-parallel size out of ${fits}, or --pp / --dp for the other cards`,
        `张量并行数请取 ${fits} 之一，其余的卡用 --pp 或 --dp`,
        { flag: '--tp', field: 'num_attention_heads' },
      ),
    );
  }
  if (pipeline > shape.layers) {
    mistakes.push(
      mistake(
        'more-stages-than-layers',
        `${shape.layers} layers cannot fill ${pipeline} pipeline stages`,
        `${shape.layers} 层不足以分成 ${pipeline} 个流水线阶段`,
        'use a smaller --pp',
        '请减小 --pp',
        { flag: '--pp', field: 'num_hidden_layers' },
      ),
    );
  }
  if (expert !== null && shape.moe === null) {
    mistakes.push(
      mistake(
        'no-experts-to-spread',
        'this model has no experts to spread',
        '该模型没有专家层，无法做专家并行',
        'leave --ep out',
        '请去掉 --ep',
        '--ep',
      ),
    );
  } else if (expert !== null && shape.moe !== null && shape.moe.experts % expert !== 0) {
    mistakes.push(
      mistake(
        'expert-parallel-does-not-divide-experts',
        `${shape.moe.experts} experts cannot be split over ${expert} cards`,
        `${shape.moe.experts} 个专家不能平均分到 ${expert} 张卡`,
        `use an expert-parallel size out of ${divisors(shape.moe.experts).join(', ')}`,
        `专家并行数请取 ${divisors(shape.moe.experts).join(', ')} 之一`,
        { flag: '--ep', field: 'n_routed_experts' },
      ),
    );
  }
  return mistakes;
}

function divisors(n: number): number[] {
  return Array.from({ length: Math.min(n, 64) }, (_, i) => i + 1).filter((d) => n % d === 0);
}
