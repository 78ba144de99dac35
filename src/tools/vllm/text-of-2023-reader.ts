import { means } from '../reading/fact-key.ts';
import type { Meaning } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import { PointDraft } from '../reading/point-draft.ts';
import type { BlockReader, TextFormat } from '../reading/file-format.ts';

const opening = /^\s*Total time: [\d.]+ s\s*$/;

/** label → meaning and the unit the line must end in; another unit is another tool's line. */
const lines: readonly [RegExp, Meaning][] = [
  [/^\s*Total time: (\S+) s\s*$/, means('durationMs', 1000)],
  [/^\s*Throughput: (\S+) requests\/s\s*$/, means('requestsPerSec')],
  [/^\s*Average latency: (\S+) s\s*$/, means('latencyMs.mean', 1000)],
  [/^\s*Average latency per token: (\S+) s\s*$/, means('server.latencyPerTokenMs', 1000)],
  [/^\s*Average latency per output token: (\S+) s\s*$/, means('server.latencyPerOutputTokenMs', 1000)],
  [/^\s*Completion tokens per second: (\S+) tokens\/s\s*$/, means('outputTokensPerSec')],
];

/** The block without a header that benchmark_serving.py printed in 2023. */
export const vllm2023Text: TextFormat = {
  tool: 'vllm',
  opens: (line) => line.includes('Total time:') && opening.test(line),
  reader: (complain) => new Vllm2023Block(complain),
};

class Vllm2023Block implements BlockReader {
  private draft: PointDraft | null = null;

  constructor(private readonly complain: Complain) {}

  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine' {
    if (this.draft !== null && opening.test(line)) return 'not-mine';
    this.draft ??= new PointDraft('vllm', lineNumber);
    for (const [shape, meaning] of lines) {
      const match = shape.exec(line);
      if (match === null) continue;
      this.draft.putText(meaning, match[1]!, lineNumber, this.complain);
      return 'more';
    }
    return 'not-mine';
  }

  end(): PointDraft[] {
    const draft = this.draft;
    if (draft === null || !draft.facts.has('requestsPerSec')) return [];
    draft.kind = 'open';
    draft.stream = false;
    return [draft];
  }
}
