/**
 * The same runner spread over machines, on BullMQ and Redis (or Valkey). A controller takes a queue, puts one worker slot (a BullMQ
 * job) on it for each worker, and deals the asks of one plan over those who take one: the same schedule, numbers and prompts as on
 * one machine. Workers send exchanges back in numbered batches through a stream; the controller's ledger makes sure that every ask
 * has exactly one record whoever is lost. Must not know files, reports or datasets: prompts, secrets and CPU jobs are given as
 * functions. No secret and no wall clock of a worker goes through Redis. Loaded only when it is asked for. Start at
 * cluster-runner.ts and run-control.ts (the controller), phase-control.ts and request-ledger.ts (who sends what), serve-worker.ts
 * and worker-share.ts (a worker), share-request-source.ts (what it may send); job-engine.ts wraps BullMQ, redis.ts wraps ioredis,
 * cluster-words.ts is what the two sides say to each other, heard.ts reads it.
 */
export { makeClusterRunner } from './cluster-runner.ts';
export { benchAt } from './bench-at.ts';
export { defaultLostAfterMs, setAside } from './job-engine.ts';
export { openCluster } from './open-cluster.ts';
export type { Cluster, ClusterEvent } from './open-cluster.ts';
export { shown } from './redis.ts';
export type { RedisPlace } from './redis.ts';
export { serveWorker } from './serve-worker.ts';
export type { RunningWorker } from './serve-worker.ts';
export type { WorkerInputs, ShareEvent } from './worker-share.ts';
