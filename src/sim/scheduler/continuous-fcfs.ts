import type { KvBlocks } from '../kv/kv-blocks.ts';
import type { PrefillChunk, Scheduler, SchedulerLimits, Sequence } from './scheduler.ts';

/**
 * Continuous batching, first come first served: every running sequence decodes in every step, and whole prompts join
 * the same step while the batch size, the prefill-token limit and the KV cache allow. When a running sequence
 * finds no free block, the one admitted last is preempted and recomputed later; such a step admits nobody.
 */
export function continuousFcfs(limits: SchedulerLimits): Scheduler {
  return {
    form(waiting, running, kv) {
      const { decodes, preempted } = keepRunning(running, kv);
      const prefills = preempted.length > 0 ? [] : admit(waiting, decodes.length, limits, kv);
      return { decodes, prefills, preempted };
    },
  };
}

function keepRunning(running: readonly Sequence[], kv: KvBlocks): { decodes: Sequence[]; preempted: Sequence[] } {
  const decodes: Sequence[] = [];
  const preempted: Sequence[] = [];
  let end = running.length;
  for (let i = 0; i < end; i++) {
    const sequence = running[i]!;
    while (i < end && !kv.reserve(sequence.id, sequence.inputTokens + sequence.generatedTokens)) {
      const last = running[--end]!;
      kv.release(last.id);
      preempted.push(last);
    }
    if (i < end) decodes.push(sequence);
  }
  return { decodes, preempted };
}

function admit(waiting: readonly Sequence[], batchSize: number, limits: SchedulerLimits, kv: KvBlocks): PrefillChunk[] {
  const prefills: PrefillChunk[] = [];
  const maxTokens = limits.maxPrefillTokens ?? Infinity;
  let prefillTokens = 0;
  for (const sequence of waiting) {
    if (batchSize + prefills.length >= limits.maxBatchSize) break;
    const tokens = sequence.inputTokens + sequence.generatedTokens;
    if (prefills.length > 0 && prefillTokens + tokens > maxTokens) break;
    if (!kv.reserve(sequence.id, tokens)) break;
    prefills.push({ sequence, tokens });
    prefillTokens += tokens;
  }
  return prefills;
}
