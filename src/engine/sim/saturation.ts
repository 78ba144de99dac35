import type { LoadState } from '../../core/index.ts';

/** How an engine bore a load: as every run is judged, and, where it kept up, whether requests waited inside it. */
export type Saturation = LoadState | 'backlogged';

/** Of all requests in the engine, the share that waits from which on a step keeps them back. */
const waitingShare = 0.05;

/**
 * `backlogged` is a closed loop that keeps more in flight than the batch holds, or whose steps left more than one in twenty
 * waiting (the KV cache, or the prefill, is the limit): its queue does not grow, but its first tokens wait.
 */
export function saturationOf(
  state: LoadState,
  load: { isOpen: boolean; concurrency: number | null; maxBatchSize: number },
  engine: { waitingMean: number; runningMean: number } | null,
): Saturation {
  if (load.isOpen || state === 'overloaded') return state;
  const { waitingMean, runningMean } = engine ?? { waitingMean: 0, runningMean: 1 };
  const waits = waitingMean > waitingShare * (waitingMean + runningMean);
  return waits || (load.concurrency ?? 0) > load.maxBatchSize ? 'backlogged' : state;
}
