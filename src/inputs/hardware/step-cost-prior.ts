import { invariant } from '../../core/index.ts';
import { decodeWork, prefillWork, rooflineStep } from './roofline.ts';
import type { Rig, StepTime, StepWork } from './roofline.ts';

/**
 * The step time of a rig as a line, for simulators that have no measured profile:
 * T(ms) = baseMs + perSequenceMs·decoding + perKvKiloTokenMs·(cached tokens / 1000)
 *       + perPrefillTokenMs·(prompt tokens) + perAttendedMegaTokenMs·(Σ chunk·(context + chunk/2) / 1e6).
 */
export interface StepCostPrior {
  baseMs: number;
  perSequenceMs: number;
  perKvKiloTokenMs: number;
  perPrefillTokenMs: number;
  perAttendedMegaTokenMs: number;
}

/** The line through roofline steps at small and large batches; an estimate from data sheets, never a measurement. null = rates not known. */
export function stepCostPrior(rig: Rig): StepCostPrior | null {
  const step = (work: StepWork): number | null => rooflineStep(rig, work)?.totalMs ?? null;
  const one = step(decodeWork(1, 0));
  const many = step(decodeWork(257, 0));
  const deep = rooflineStep(rig, decodeWork(64, 4000));
  const flat = rooflineStep(rig, decodeWork(64, 0));
  const long = rooflineStep(rig, prefillWork(4096));
  if (one === null || many === null || deep === null || flat === null || long === null) return null;
  const perSequenceMs = (many - one) / 256;
  const attended = (4096 * 4097) / 2 / 1e6;
  const noAttention = rooflineStep(rig, { tokens: 4096, contextTokens: 0, attendedTokens: 0 });
  invariant(noAttention !== null, 'rates that were known stay known');
  const baseMs = one - perSequenceMs;
  return {
    baseMs,
    perSequenceMs,
    perKvKiloTokenMs: memoryOf(deep, flat) / 256,
    perPrefillTokenMs: Math.max(0, noAttention.totalMs - baseMs) / 4096,
    perAttendedMegaTokenMs: Math.max(0, long.totalMs - noAttention.totalMs) / attended,
  };
}

/** What 256,000 cached tokens add to the memory time; counted even where compute hides it, because real batches mix. */
function memoryOf(deep: StepTime, flat: StepTime): number {
  return deep.memoryMs - flat.memoryMs;
}
