import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dynoHere } from '../../../test/in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'dyno-fit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dyno = (line: string) => dynoHere(`${line} --store ${folder} --quiet --lang en`.split(' '));
const file = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** Two sweeps of one document; the levels of the second are other ones. */
function sweepTable(title: string, levels: readonly number[]): string {
  // The engine on paper: a step takes 20 + 0.5·n ms, answers have 100 tokens, 64 are served at once.
  const rows = levels.map((level) => {
    const batch = Math.min(level, 64);
    const stepMs = 20 + 0.5 * batch;
    const latency = ((stepMs * 100) / 1000) * (level / batch);
    return `| ${level} | 400 | 0 | ${((batch / stepMs) * 1000).toFixed(1)} | ${latency.toFixed(3)} | 100 |`;
  });
  const head = '| Concurrency | Succeed | Failed | Output tokens/s | Average latency (s) | Average output tokens |';
  return [`# ${title}`, '', head, '|---|---|---|---|---|---|', ...rows, ''].join('\n');
}
const both = file('both.md', [sweepTable('first', [4, 16, 64, 128]), sweepTable('second', [8, 32, 100])].join('\n'));

describe('dyno fit', () => {
  it('--points with numbers fits the sweeps that have them, and says of the others which they have', async () => {
    const { out, code } = await dyno(`fit ${both} --points 4,64,128 --json`);
    const document = JSON.parse(out) as {
      sweeps: { title: string; used: number[] }[];
      skipped: { title: string; why: string }[];
    };
    expect(code).toBe(0);
    expect(document.sweeps.map(({ used }) => used)).toEqual([[4, 64, 128]]);
    expect(document.skipped[0]!.why).toContain('no usable point "4"');
    expect(document.skipped[0]!.why).toContain('8, 32, 100');
  });

  it('takes the batch and the KV cache from a server’s log, and what is typed over it', async () => {
    const log = file('server.log', "args: {'max_num_seqs': 48}\nINFO CPU KV cache size: 32,000 tokens\n");
    const fitted = async (more: string) => {
      const { out } = await dyno(`fit ${both} --points 4,64,128 --server-log ${log} ${more}--json`);
      const { maxBatchSize, kv } = JSON.parse(out).sweeps[0].profile as { maxBatchSize: number; kv: unknown };
      return { maxBatchSize, kv };
    };
    expect(await fitted('')).toEqual({ maxBatchSize: 48, kv: { blocks: 2000, blockSize: 16 } });
    expect((await fitted('--set maxBatchSize=64 ')).maxBatchSize).toBe(64);
  });

  it('runs told one by one, at three concurrencies or more, are the points of one sweep', async () => {
    for (const concurrency of [8, 64, 200, 400])
      await dyno(`sim --concurrency ${concurrency} -n 400 --label at-${concurrency} --lenient`);
    const { out } = await dyno('fit at-64 at-400 at-8 at-200 --points 8,200,400 --hold-out --json');
    const { sweeps } = JSON.parse(out) as {
      sweeps: { used: number[]; heldOut: { points: { concurrency: number }[] }; profile: { cost: { aMs: number } } }[];
    };
    expect(sweeps).toHaveLength(1);
    expect(sweeps[0]!.used).toEqual([8, 200, 400]);
    expect(sweeps[0]!.heldOut.points.map(({ concurrency }) => concurrency)).toEqual([64]);
    // The default profile's a is 12.57 ms.
    expect(Math.abs(sweeps[0]!.profile.cost.aMs / 12.57 - 1)).toBeLessThan(0.05);
  });

  it('of a real trace says the KV cache that nobody told, beside what it predicts of the requests that were not fitted', async () => {
    const trace = join(import.meta.dirname, '../../../test/fixtures/request-traces/rtx4090-llama-3.1-8b.jsonl');
    const told = '--format request-trace --set max_num_seqs=128 --set max_num_batched_tokens=2048';
    const { out, code } = await dyno(`fit ${trace} ${told}`);
    expect(code).toBe(0);
    expect(out).toMatch(/limited by the KV cache: 2[56]\d\d blocks of 16/);
    expect(out.match(/Ms\.(mean|p50|p90|p99) .* %$/gm)).toHaveLength(12);
    expect(out).not.toContain('the fitted requests themselves');
    // A cache an eighth as large cannot have served them.
    const { out: wrong } = await dyno(`fit ${trace} ${told} --set blocks=300`);
    expect(wrong).toMatch(/the fitted requests themselves come out \d\d\.\d % off/);
  });

  it.each([
    ['an empty file', () => `fit ${file('empty.md', '')}`, 'no result of a load test is in it'],
    ['a file of bytes', () => `fit ${file('bytes.md', Buffer.from([0, 255, 1, 254, 0, 7]))}`, 'is not text'],
    ['columns of something else', () => `fit ${file('other.csv', 'a,b\n1,2\n3,4\n')}`, 'no kind that is known'],
    ['a format that there is not', () => `fit ${both} --format nonsense`, 'there is no format "nonsense"'],
    ['an address without --probe', () => 'fit http://127.0.0.1:1', '--probe'],
    ['an empty trace', () => `fit ${file('empty.jsonl', '')} --format request-trace`, 'fewer than 20 requests'],
  ])('%s is refused with a word about why', async (_what, line, words) => {
    const { code, err } = await dyno(line());
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});
