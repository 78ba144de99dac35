/** Changes when workers and controllers of two versions could no longer understand each other's keys. */
const layout = 1;

/** A queue's name as it stands in keys; braces keep a queue's keys on one node of a Redis cluster. */
export function prefixOf(queue: string): string {
  return `llmdyno:${layout}:{${queue}}`;
}

/** Names in Redis of what a queue holds whoever uses it. */
export interface QueueKeys {
  prefix: string;
  /** Who controls the queue now; expires when nobody renews it. */
  controller: string;
  /** The run that the queue holds; stays until it is cleaned up. */
  run: string;
  /** Name of the BullMQ queue of worker slots. Workers of another llmdyno never see it. */
  workerSlots: string;
  /** Name of the BullMQ queue of CPU work. */
  work: string;
}

/** The keys of a queue for one version of llmdyno. */
export function queueKeys(queue: string, version: string): QueueKeys {
  const prefix = prefixOf(queue);
  const suffix = version.replaceAll(/[^\w.-]/g, '_');
  return {
    prefix,
    controller: `${prefix}:controller`,
    run: `${prefix}:run`,
    workerSlots: `worker-slots-${suffix}`,
    work: `work-${suffix}`,
  };
}

/** Names in Redis of what one run uses; all are deleted when it is over. */
export interface RunKeys {
  /** Stream: what the controller tells every worker. */
  orders: string;
  /** Stream: what workers tell the controller. */
  words: string;
  /** Stream: which member took which numbers of a closed loop. */
  claims: string;
  /** Stream: exchanges in batches. */
  results: string;
  /** Asks handed out so far in a phase of a closed loop. */
  counter(phase: string): string;
  /** Key that names the holder of a worker slot, so that each is taken once. */
  workerSlot(member: string): string;
  all: string;
}

export function runKeys(prefix: string, token: string): RunKeys {
  const own = `${prefix}:r:${token}`;
  return {
    orders: `${own}:orders`,
    words: `${own}:words`,
    claims: `${own}:claims`,
    results: `${own}:results`,
    counter: (phase) => `${own}:counter:${phase}`,
    workerSlot: (member) => `${own}:worker-slot:${member}`,
    all: `${own}:`,
  };
}
