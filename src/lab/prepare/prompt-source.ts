import type { DatasetOptions } from '../../inputs/dataset/index.ts';
import type { PhaseName } from '../../client/load/index.ts';

/** From what a load thread makes its prompts: plain data, the same for every thread. */
export interface PromptSource {
  /** As after --dataset; undefined = the built-in questions. */
  spec: string | undefined;
  options: DatasetOptions;
  /** Number of the first prompt of each phase. */
  offsets: Record<PhaseName, number>;
}
