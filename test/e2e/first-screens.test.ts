import { describe, expect, test } from 'vitest';
import { dynoHere } from '../in-process.ts';
import { emptyFolder } from './dyno.ts';

// In virtual time, so that every figure and every doubt is the same on every host.
const store = emptyFolder();

async function sim(...flags: string[]) {
  const engine = ['--profile', 'qwen1.5-7b-mindie-8x910b4', '--input-tokens', '256', '--output-tokens', '64'];
  return dynoHere(['sim', ...engine, '-n', '400', '--store', await store, '--quiet', ...flags]);
}

const promises = ['--slo', 'ttft.p99<500ms', '--slo', 'tpot.p99<40ms'];
const lines = (out: string): string[] => out.trimEnd().split('\n');
const cells = (line: string): number => [...line].reduce((sum, char) => sum + (/[⺀-鿿＀-｠]/.test(char) ? 2 : 1), 0);
const unfolded = (out: string): string => out.replaceAll('\n    ', ' ');
const widest = (out: string): number => Math.max(...lines(out).map(cells));

describe('a first screen', () => {
  test('of a run: what was asked, the answer, promises, one table, in at most 25 lines of 80 cells, in both languages', async () => {
    const { out } = await sim('--concurrency', '16', ...promises, '--label', 'one');
    expect(lines(out)[0]).toBe('one · qwen1.5-7b-chat · 16 at once · 400 requests · 256 → 64 tokens');
    expect(unfolded(out)).toMatch(
      /^All 400 answered in [\d.]+ s: [\d,]+ tokens\/s, first token [\d.]+ ms, then [\d.]+ ms a/m,
    );
    expect(out).toMatch(/ttft\.p99 < 500ms +\d+ ms +kept\n +tpot\.p99 < 40ms +[\d.]+ ms +kept/);
    expect(out).toMatch(/first token \(ms\)( +[\d.,]+){4} {3}[▁▂▃▄▅▆▇█ ]{1,10}$/m);
    // One line each: the doubt with what to do, and where it is kept.
    expect(out).toMatch(/^Doubt: 400 requests are too few for p98, p99\. 1000 would do \(-n 1000\)\.$/m);
    expect(out).toMatch(/^Kept as \S+ · all of it: dyno report latest/m);
    expect(lines(out).length).toBeLessThanOrEqual(25);
    expect(widest(out)).toBeLessThanOrEqual(80);
    const zh = (await sim('--concurrency', '16', ...promises, '--lang', 'zh')).out;
    expect(unfolded(zh)).toMatch(/400 个请求全部成功，用时 [\d.]+ 秒：吞吐 [\d,]+ tok\/s/);
    expect(lines(zh).length).toBeLessThanOrEqual(25);
    expect(widest(zh)).toBeLessThanOrEqual(80);
  });

  test('of a run leaves nothing out that --all does not tell', async () => {
    const { out } = await sim('--concurrency', '16', '--all');
    expect(out).toMatch(/closed loop, concurrency 16/);
    expect(out).toMatch(/planned 400, ok 400, failed 0/);
  });

  test('of a sweep of eight points: the highest load that keeps the promises, a row a point, in at most 30 lines', async () => {
    const { out, code } = await sim('--concurrency', '8,16,32,64,96,128,160,200', ...promises, '--label', 'eight');
    expect(code).toBe(4);
    const best = /^Highest load within ttft\.p99 < 500ms and tpot\.p99 < 40ms: (\d+) at once, [\d,]+ tokens\/s\.$/m;
    const load = best.exec(unfolded(out))![1]!;
    // The arrow stands at that row, the row above it keeps everything, and a later one breaks something.
    const rows = lines(out).filter((line) => /^(→| ) \d+ /.test(line));
    expect(rows).toHaveLength(8);
    const at = rows.findIndex((row) => row.startsWith('→'));
    expect(rows[at]).toMatch(new RegExp(`^→ ${load} `));
    expect(rows.slice(0, at + 1).filter((row) => row.includes('!'))).toEqual([]);
    expect(rows[at + 1]).toContain('!');
    expect(lines(out).length).toBeLessThanOrEqual(30);
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test('of a sweep without promises names knee and peak, and tells one doubt of all points once', async () => {
    const { out } = await sim('--concurrency', '8,16,32');
    expect(out).toMatch(/Most throughput: [\d,]+ tokens\/s at 32 at once\.|Knee at/);
    expect(out).toMatch(/Throughput still rises at 32 at once/);
    expect(out.match(/too few for/g)).toHaveLength(1);
    expect(out).toContain('Doubt (at all): ');
  });

  test('of two compared runs: one sentence, a row a metric, in at most 24 lines', async () => {
    await sim('--concurrency', '16', '--label', 'free');
    await sim('--concurrency', '16', '--label', 'bound', '--set', 'maxBatchSize=8');
    const compare = async (...args: string[]) => dynoHere(['compare', ...args, '--store', await store]);
    const { out } = await compare('free', 'bound');
    expect(lines(out)[0]).toMatch(/^B is (worse:|better in)/);
    expect(out).toMatch(/tokens\/s .*−4\d\.\d % .* worse, certain/);
    expect(lines(out).length).toBeLessThanOrEqual(24);
    expect(widest(out)).toBeLessThanOrEqual(80);
    expect(lines((await compare('free', 'free')).out)[0]).toMatch(/^No clear difference between A and B/);
    expect((await compare('free', 'bound', '--all')).out).toContain('95 % interval');
  });
});
