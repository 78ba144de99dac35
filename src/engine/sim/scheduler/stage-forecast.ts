/** Sums from which a least-squares plane follows; the last column is always 1. */
class LeastSquares {
  readonly #sums: number[][];
  #valueSum = 0;

  constructor(private readonly size: number) {
    this.#sums = Array.from({ length: size }, () => Array.from({ length: size + 1 }, () => 0));
  }

  add(given: readonly number[], value: number): void {
    for (const [i, row] of this.#sums.entries()) {
      for (const [j, x] of given.entries()) row[j]! += given[i]! * x;
      row[this.size]! += given[i]! * value;
    }
    this.#valueSum += value;
  }

  /** null = nothing has been seen. */
  mean(): number | null {
    const count = this.#sums.at(-1)!.at(-2)!;
    return count === 0 ? null : this.#valueSum / count;
  }

  /** The value at a place; null where the sums do not tell, or where a coefficient is not above zero. */
  at(given: readonly number[]): number | null {
    const rows = this.#sums.map((row) => [...row]);
    const size = this.size;
    for (let i = 0; i < size; i++) {
      const pivot = rows[i]![i]!;
      if (pivot <= 1e-9 * this.#sums[i]![i]!) return null;
      for (let r = 0; r < size; r++) {
        if (r === i) continue;
        const factor = rows[r]![i]! / pivot;
        for (let j = i; j <= size; j++) rows[r]![j]! -= factor * rows[i]![j]!;
      }
    }
    const coefficients = rows.map((row, i) => row[size]! / row[i]!);
    if (coefficients.some((coefficient) => !(coefficient > 0))) return null;
    return coefficients.reduce((sum, coefficient, i) => sum + coefficient * given[i]!, 0);
  }
}

/**
 * What MindIE expects the next prefill and the next decode step to take: planes through the steps that were, decode over
 * sequences and KV blocks, prefill over tokens, taken only where every coefficient is above zero. Before that the mean,
 * and before the first step of a kind what the settings say.
 */
export class StageForecast {
  readonly #decode = new LeastSquares(3);
  readonly #prefill = new LeastSquares(2);
  #formed: { plane: LeastSquares; given: number[] } | null = null;

  constructor(private readonly settings: { prefillTimeMsPerReq: number; decodeTimeMsPerReq: number }) {}

  formedPrefill(tokens: number): void {
    this.#formed = { plane: this.#prefill, given: [tokens, 1] };
  }

  formedDecode(sequences: number, blocks: number): void {
    this.#formed = { plane: this.#decode, given: [sequences, blocks, 1] };
  }

  /** The step that was formed last has taken so long; null = nobody can say. */
  learn(stepMs: number | null): void {
    if (this.#formed !== null && stepMs !== null) this.#formed.plane.add(this.#formed.given, stepMs);
    this.#formed = null;
  }

  prefillMs(tokens: number): number {
    return this.#prefill.at([tokens, 1]) ?? this.#prefill.mean() ?? this.settings.prefillTimeMsPerReq;
  }

  decodeMs(sequences: number, blocks: number): number {
    return this.#decode.at([sequences, blocks, 1]) ?? this.#decode.mean() ?? this.settings.decodeTimeMsPerReq;
  }
}
