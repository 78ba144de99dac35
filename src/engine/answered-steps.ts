/** Of so many answers it is known which step finished them: more than are ever asked for at once. */
const most = 4096;
/** A longer name is none of ours. */
const longestName = 40;

/** When the steps ended that finished the last answers, by the names that clients gave their requests. */
export class AnsweredSteps {
  readonly #endMs = new Map<string, number>();

  remember(name: string, endMs: number): void {
    if (name.length > longestName) return;
    this.#endMs.delete(name);
    this.#endMs.set(name, endMs);
    if (this.#endMs.size > most) this.#endMs.delete(this.#endMs.keys().next().value!);
  }

  /** null = it is not remembered. */
  answeredMs(name: string): number | null {
    return this.#endMs.get(name) ?? null;
  }
}
