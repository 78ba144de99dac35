import { labels, means } from './fact-key.ts';
import type { Complain } from './imported.ts';
import { PointDraft } from './point-draft.ts';
import type { BlockReader, TextFormat } from './file-format.ts';

const prefix = /^\s*\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[.,]\d+\]\[\d+\]\[\w+\] (.*)$/;
const opening = /^chunk_size: (\d+), generate_size: (\d+)\s*$/;

const figures = labels([
  [means('load.concurrency'), '并发'],
  [means('server.textsOffered'), '总测试文本块数目'],
  [means('server.askedInputChars'), '单个文本块长度'],
  [means('server.askedOutputChars'), '生成文本长度'],
  [means('durationMs', 1000), 'duration'],
  [means('inputTokensPerSec'), 'prompt-tokens/second'],
  [means('outputTokensPerSec'), 'completion-tokens/second'],
  [means('inputCharsPerSec'), 'prompt-chars/second'],
  [means('outputCharsPerSec'), 'completion-chars/second'],
  [means('totals.outputTokens'), 'total completion tokens'],
  [means('outputTokens.mean'), 'completion tokens per request'],
  [means('counts.ok'), 'n-request'],
  [means('requestsPerSec'), 'QPS'],
  [means('userTokensPerSec.mean'), 'tokens-speed-per-request/second(终端用户视角)'],
]);

/** The log of the vLLM chunk test: one `chunk_size: …, generate_size: …` block per cell of an input × output matrix. */
export const chunkLog: TextFormat = {
  tool: 'chunk-log',
  opens: (line) => line.includes('chunk_size: ') && opening.test(prefix.exec(line)?.[2] ?? line.trim()),
  reader: (complain) => new ChunkBlock(complain),
};

class ChunkBlock implements BlockReader {
  private draft: PointDraft | null = null;

  constructor(private readonly complain: Complain) {}

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
    const meaning = colon === -1 ? undefined : figures.get(text.slice(0, colon).trim());
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
