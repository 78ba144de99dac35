import type { WorkerSlot } from './cluster-words.ts';
import { workerSlotName } from './members.ts';
import type { Cluster } from './open-cluster.ts';

/** The worker slots of a run that the queue offers, and which of them nobody has taken. */
export class OfferedSlots {
  readonly #open = new Set<string>();
  /** The number of the last one. */
  last = 0;

  constructor(
    private readonly queue: Cluster['workerSlots'],
    private readonly slot: WorkerSlot,
  ) {}

  async add(): Promise<void> {
    const id = workerSlotName(this.slot.token, ++this.last);
    this.#open.add(id);
    await this.queue.add(id, this.slot).catch(() => {});
  }

  taken(id: string): void {
    this.#open.delete(id);
  }

  /** Offers nothing more. */
  async withdraw(): Promise<void> {
    for (const id of this.#open) await this.queue.remove(id);
  }
}
