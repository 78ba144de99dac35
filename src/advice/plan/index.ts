/**
 * Capacity on paper, before anything is measured: from a model, cards and a workload to memory, KV blocks, batch
 * ranges, engine settings, checks of existing settings, and first estimates of speed and cost.
 *
 * Pure: files are read by the caller. Every figure carries its formula; estimates are marked as such and are never
 * mixed with measurements. The arithmetic of the MindIE guide is kept beside ours, and the differences are named.
 * Start reading at plan-request.ts (what is asked), capacity.ts (blocks and batches), plan-document.ts (the answer).
 */
export * from './check-mindie.ts';
export * from './check-vllm.ts';
export * from './emit-mindie.ts';
export * from './emit-profile.ts';
export * from './emit-sglang.ts';
export * from './emit-vllm.ts';
export * from './guide-differences.ts';
export * from './host-cards.ts';
export * from './plan-document.ts';
export * from './plan-request.ts';
export * from './plan-schema.ts';
export * from './render-check.ts';
export * from './render-plan.ts';
export * from './server-log.ts';
