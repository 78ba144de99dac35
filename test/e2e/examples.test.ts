import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder } from './dyno.ts';
import type { Done } from './dyno.ts';

const root = join(import.meta.dirname, '../..');
const scripts = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.sh'))
  .toSorted();

/** What each example must have said: one line that only the real thing prints. */
const says: Record<string, RegExp> = {
  '01-one-point.sh': /^(?:All 100 answered|NOT VALID: The client itself) [\s\S]*-first +run, simulated engine +first/m,
  '02-sweep.sh': /^\| 指标 \| 4 \| 8 \| 16 \|$/m,
  '03-open-loop-slo.sh':
    /^ {2}ttft < 500ms \(every request\) .*(?:kept|BROKEN)$[\s\S]*^ {2}tpot < 50ms \(every request\) /m,
  '04-faulty-server.sh': /planned: 200,[\s\S]*unaccounted: 0,[\s\S]*reset: \d+/,
  '05-ci-gate.sh': /^failed 0\.0 %, ttft p90 \d+ ms$/m,
  '07-compare-gate.sh': /^same engine: passed$[\s\S]*^slower engine: exit code 4$/m,
  '08-published-faults.sh':
    /^stuck-request.*stuck-request,[\s\S]*^runaway.*runaway-generation,[\s\S]*^decode-starvation: decode-starvation,[\s\S]*^cold-start.*cold-start,[\s\S]*^client-timeout: censored-percentiles.*survivor-bias/m,
  '06-own-questions/run.sh': /^All 60 answered [\s\S]*\{"seq":0,"text":"\w/m,
  '10-numa/run.sh': /^A none +3\/3[\s\S]*^tokens\/s against A none: B first [\s\S]*12 runs in shuffled order\.$/m,
  '11-prefill-batch.sh':
    /^B is better in tokens\/s \+7\d\d %, [\s\S]*?worse in TTFT p50 \+\d+ % \(certain\)[\s\S]*^The backend[\s\S]*^B is better: tokens\/s \+1\d(\.\d)? %, [^;]*certain;/m,
  '12-mindie-goals.sh':
    /^== throughput\nMost: [\s\S]*^Best: .* lies at the end of its range [\s\S]*^== decode-limit=50ms\nWithin [\s\S]*^Best: .* confirmed: every SLO[\s\S]*^== ttft=8s,decode=50ms\nWithin [\s\S]*^Best: .*supportSelectBatch=false.* confirmed: every SLO/m,
  '13-length-grid.sh':
    /^\| 100 \| 44\.\d+ \|[\s\S]*^grid\.png[\s\S]*^B beside A: tokens\/s −30\.\d %[\s\S]*^C beside A: tokens\/s −3/m,
  '14-two-engines.sh': /^A +vllm\nB +xinference$[\s\S]*^exit code [45] \(4: more than 1 %/m,
  '15-mxc500.sh':
    /just under 120 s[\s\S]*timeout cut off the slow ones[\s\S]*^Knee at 128 at once[\s\S]*^\| 失败数 \| 0 \| 0 \| 0 \| 0 \| 242 \|/m,
  '09-tune-mindie/run.sh': /maxBatchSize = \d+[\s\S]*^config\.json is as it was$/m,
};

/** dyno, whose runs never end with 5: whether this machine was too busy to be sure of a figure is not asked here. */
let lenient: string;
beforeAll(async () => {
  lenient = join(await emptyFolder(), 'dyno.sh');
  writeFileSync(
    lenient,
    `if [ "$1" = run ]; then set -- "$@" --lenient; fi\nexec "${process.execPath}" "${join(root, 'dist/cli/main.js')}" "$@"\n`,
  );
});

function runExample(script: string, env: Record<string, string> = {}): Promise<Done> {
  return new Promise((resolve) => {
    execFile(
      'sh',
      [join('examples', script)],
      {
        cwd: root,
        env: { PATH: process.env['PATH'], LANG: 'C', DYNO: `sh ${lenient}`, ...env },
      },
      (error, out, err) =>
        resolve({ code: error === null ? 0 : ((error.code as number | undefined) ?? null), out, err }),
    );
  });
}

describe('examples', () => {
  test('each one is tested here, and short enough to be read', () => {
    expect(Object.keys(says).toSorted()).toEqual(scripts.toSorted());
    const lines = (path: string): number =>
      readFileSync(join(root, 'examples', path), 'utf8')
        .trimEnd()
        .split('\n').length;
    expect(scripts.filter((path) => lines(path) > 20)).toEqual([]);
  });

  test.concurrent.each(scripts)('%s ends well and says what it is for', async (script) => {
    const done = await runExample(script);
    expect(done.out + done.err).toMatch(says[script]!);
    expect(done.code).toBe(0);
  });

  test('the CI gate fails with 4 when a fifth of the answers are errors', async () => {
    const done = await runExample('05-ci-gate.sh', { ENGINE_FLAGS: '--fault 500:20%' });
    expect(done.out + done.err).toMatch(/^failed \d\d\.\d %/m);
    expect(done.code).toBe(4);
  });
});
