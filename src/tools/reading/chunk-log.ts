import { means } from './fact-key.ts';
import type { Meaning } from './fact-key.ts';
import type { Complain } from './imported.ts';
import { PointDraft } from './point-draft.ts';
import type { BlockReader, TextFormat } from './text-format.ts';

const prefix = /^\s*\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[.,]\d+\]\[\d+\]\[\w+\] (.*)$/;
const opening = /^chunk_size: (\d+), generate_size: (\d+)\s*$/;

const labels: ReadonlyMap<string, Meaning> = new Map([
  ['并发', means('load.concurrency')],
  ['总测试文本块数目', means('server.textsOffered')],
  ['单个文本块长度', means('server.askedInputChars')],
  ['生成文本长度', means('server.askedOutputChars')],
  ['duration', means('durationMs', 1000)],
  ['prompt-tokens/second', means('inputTokensPerSec')],
  ['completion-tokens/second', means('outputTokensPerSec')],
  ['prompt-chars/second', means('inputCharsPerSec')],
  ['completion-chars/second', means('outputCharsPerSec')],
  ['total completion tokens', means('totals.outputTokens')],
  ['completion tokens per request', means('outputTokens.mean')],
  ['n-request', means('counts.ok')],
  ['QPS', means('requestsPerSec')],
  ['tokens-speed-per-request/second(终端用户视角)', means('userTokensPerSec.mean')],
]);

/** The log of the vLLM chunk test: one `chunk_size: …, generate_size: …` block per cell of an input × output matrix. */
export const chunkLog: TextFormat = {
  tool: 'chunk-log',
  opens: (line) => line.includes('chunk_size: ') && opening.test(prefix.exec(line)?.[2] ?? line.trim()),
  reader: (complain) => new ChunkBlock(complain),
};

class ChunkBlock implements BlockReader {
  private draft: PointDraft | null = null;
  private readonly complain: Complain;

  constructor(complain: Complain) {
    this.complain = complain;
  }

  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine' {
    const match = prefix.exec(line);
    const text = match?.[2] ?? line.trim();
    const start = opening.exec(text);
    if (start !== null) {
      if (this.draft !== null) return 'not-mine';
      this.draft = new PointDraft('chunk-log', lineNumber);
      this.draft.label = `chunk_size: ${start[1]}, generate_size: ${start[2]}`;
      this.draft.asked = { input: start[1]!, output: start[2]! };
      this.draft.put(means('server.chunkSize'), { value: Number(start[1]), digits: start[1]!, line: lineNumber });
      this.draft.put(means('server.generateSize'), { value: Number(start[2]), digits: start[2]!, line: lineNumber });
      if (match !== null) this.draft.startedAt = match[1]!.replace(' ', 'T');
      return 'more';
    }
    if (/^-{20,}$/.test(text)) return 'done';
    const colon = text.lastIndexOf(':');
    const meaning = colon === -1 ? undefined : labels.get(text.slice(0, colon).trim());
    if (meaning !== undefined) this.draft!.putText(meaning, text.slice(colon + 1), lineNumber, this.complain);
    return 'more';
  }

  end(): PointDraft[] {
    const draft = this.draft;
    if (draft === null) return [];
    if (!draft.facts.has('durationMs') && !draft.facts.has('outputTokensPerSec')) {
      this.complain(draft.line, { en: 'chunk test without results', zh: '测试块没有结果' });
      return [];
    }
    draft.kind = 'closed';
    return [draft];
  }
}
