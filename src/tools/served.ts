import { inputTokensOf, outputTokensOf } from '../core/index.ts';
import type { Exchange } from '../core/index.ts';

/** One request that was answered, in the terms that other tools count in. Times in ms. */
export interface Served {
  seq: number;
  dueMs: number;
  startMs: number;
  endMs: number;
  latencyMs: number;
  /** null = the answer came in one piece. */
  ttftMs: number | null;
  /** Gaps between successive events; several events in one read are 0 ms apart, as those tools see them. */
  gapsMs: number[];
  /** Pieces the answer came in. */
  events: number;
  inputTokens: number | null;
  outputTokens: number | null;
  outputChars: number;
}

/** The ok exchanges of a run, in the order they ended. */
export function servedOf(exchanges: readonly Exchange[]): Served[] {
  return exchanges.flatMap((exchange) => {
    if (exchange.outcome !== 'ok' || exchange.sentMs === null) return [];
    const { atMs, tokens } = exchange.chunks;
    const gapsMs: number[] = [];
    for (let i = 0; i < atMs.length; i++) {
      if (i > 0) gapsMs.push(atMs[i]! - atMs[i - 1]!);
      for (let more = 1; more < tokens[i]!; more++) gapsMs.push(0);
    }
    return [
      {
        seq: exchange.seq,
        dueMs: exchange.dueMs,
        startMs: exchange.sentMs,
        endMs: exchange.endMs,
        latencyMs: exchange.endMs - exchange.sentMs,
        ttftMs: atMs.length === 0 ? null : atMs[0]! - exchange.sentMs,
        gapsMs,
        events: atMs.length === 0 ? 1 : gapsMs.length + 1,
        inputTokens: inputTokensOf(exchange),
        outputTokens: outputTokensOf(exchange),
        outputChars: exchange.outputChars,
      },
    ];
  });
}

export function sumOf<T>(items: readonly T[], of: (item: T) => number | null): number {
  let sum = 0;
  for (const item of items) sum += of(item) ?? 0;
  return sum;
}
