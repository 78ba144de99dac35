/** Conditions that somebody waits for, looked at whenever something happened. */
export class Waiting {
  readonly #looks = new Set<() => void>();

  /** Something happened. */
  look(): void {
    for (const look of this.#looks) look();
  }

  /** Settles when the condition holds, or time is up (null = however long it takes). */
  async until(condition: () => boolean, timeoutMs: number | null): Promise<void> {
    if (condition()) return;
    let timer: NodeJS.Timeout | null = null;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#looks.delete(look);
        resolve();
      };
      const look = (): void => {
        if (condition()) end();
      };
      this.#looks.add(look);
      if (timeoutMs !== null) timer = setTimeout(end, timeoutMs);
    });
    if (timer !== null) clearTimeout(timer);
  }
}
