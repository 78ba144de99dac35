import type { EngineBoard } from './board.ts';

/** How many steps there were, how long they took, and how many requests ran and waited meanwhile. */
export class StepTally {
  /** Time spent in steps that left somebody waiting, by what kept them out. */
  readonly limitedMs = { batch: 0, kv: 0, prefill: 0 };
  steps = 0;
  /** Time spent in steps. */
  busyMs = 0;
  /** The most requests that ran in one step. */
  runningMost = 0;
  #waitedMs = 0;
  #servedMs = 0;

  count(stepMs: number, board: EngineBoard, mostRunning: number): void {
    const [waiting, running] = [board.waiting.length, board.running.length];
    this.steps++;
    this.runningMost = Math.max(this.runningMost, running);
    this.busyMs += stepMs;
    this.#waitedMs += waiting * stepMs;
    this.#servedMs += running * stepMs;
    if (waiting > 0) this.limitedMs[limitOn(board, mostRunning)] += stepMs;
  }

  /** Requests that a step left waiting, in the mean over the time spent in steps. */
  get waitingMean(): number {
    return this.busyMs === 0 ? 0 : this.#waitedMs / this.busyMs;
  }

  get runningMean(): number {
    return this.busyMs === 0 ? 0 : this.#servedMs / this.busyMs;
  }
}

/** What keeps waiting requests out: no room in the batch, no blocks for the next of them, or the limit on prefill tokens of a step. */
function limitOn({ running, waiting, kv }: EngineBoard, mostRunning: number): 'batch' | 'kv' | 'prefill' {
  if (running.length >= mostRunning) return 'batch';
  return kv.total !== null && kv.free < kv.blocksFor(waiting.at(0).inputTokens) ? 'kv' : 'prefill';
}
