import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import type { SummaryDocument } from '../../src/core/index.ts';
import type { Comparison } from '../../src/results/measure/index.ts';
import { dyno, emptyFolder, start } from '../e2e/dyno.ts';
import type { Done } from '../e2e/dyno.ts';

/**
 * What is said of a real vLLM whose state is known: LLMDYNO_REAL_VLLM=URL names one that is up (prefix cache on, as it is by
 * itself, and --enable-prompt-tokens-details); LLMDYNO_REAL_VLLM_PID=PID is its first process. That and what it started are then stopped for
 * a while, and at the very end its engine is killed. LLMDYNO_REAL_VLLM_TEXTLESS=ID is a token without text of its own (2). Load and lengths are
 * made for a server of a few requests a second. docs/validation/verdicts.md says how one is started; give client and server a core each (taskset).
 */
const url = process.env['LLMDYNO_REAL_VLLM'];
const pid = Number(process.env['LLMDYNO_REAL_VLLM_PID']);
const textless = process.env['LLMDYNO_REAL_VLLM_TEXTLESS'] ?? '2';
const store = await emptyFolder();
const lengths = ['--input-tokens', '128', '--output-tokens', '16'];

interface Measured {
  done: Done;
  summary: SummaryDocument;
}

const run = (at: string, label: string, ...words: string[]): string[] => [
  'run',
  at,
  '--store',
  store,
  '--label',
  label,
  '--json',
  ...words,
];
const told = (done: Done): Measured => ({ done, summary: JSON.parse(done.out) as SummaryDocument });
const codes = ({ verdict }: SummaryDocument): string[] => verdict.findings.map(({ code }) => code);
/** Findings about the client's own host come and go with what else runs there. */
const aboutServer: ReadonlySet<string> = new Set([
  'overloaded',
  'server-silent',
  'server-gone',
  'server-restarted',
  'counts-impossible',
  'cached-prompts',
  'front-bound',
]);
const doubts = (summary: SummaryDocument): string[] => codes(summary).filter((code) => aboutServer.has(code));
const measured = async (label: string, ...words: string[]): Promise<Measured> => {
  const one = told(await dyno(run(url!, label, ...words)));
  const { loadState, cache, requestsPerSec, ttftMs } = one.summary;
  console.log(
    [
      label,
      loadState,
      `cache ${cache.hitRatio} of ${cache.eligibleRatio}`,
      `${requestsPerSec}/s`,
      `TTFT p99 ${ttftMs?.p99}`,
      codes(one.summary).join(' '),
    ].join(' · '),
  );
  return one;
};
const compared = async (
  a: string,
  b: string,
  ...words: string[]
): Promise<{ code: number; text: string; comparison: Comparison }> => {
  const text = await dyno(['compare', a, b, '--store', store, ...words]);
  const json = await dyno(['compare', a, b, '--store', store, '--json', '--lenient']);
  console.log(a, b, text.code, text.out.split('\n')[0]);
  return { code: text.code ?? -1, text: text.out + text.err, comparison: JSON.parse(json.out) as Comparison };
};
/** A server that is asked once more has not read it. */
const anySeed = (): string => String(1 + Math.floor(Math.random() * 1e9));
const codesOf = ({ findings }: Comparison): string[] => findings.map(({ code }) => code);

test('LLMDYNO_REAL_VLLM names a server, or none is asked', () => {
  expect(url ?? 'http:').toMatch(/^http/);
});

describe.runIf(url !== undefined)('a real vLLM', () => {
  const closed = ['--concurrency', '4', ...lengths];

  test('the same command three times, with neither -n nor --warmup: other prompts each time, and all can be compared', async () => {
    for (const label of ['first', 'second', 'third']) {
      const { done, summary } = await measured(label, ...closed, '--lenient');
      expect([done.code, doubts(summary), summary.loadState]).toEqual([0, [], 'stable']);
      expect(summary.cache.hitRatio! - summary.cache.eligibleRatio!).toBeLessThan(0.2);
      expect(summary.steady).not.toBeNull();
    }
    const { comparison, text } = await compared('first', 'third');
    expect([comparison.comparable, codesOf(comparison).includes('cache-differs')]).toEqual([true, false]);
    expect(text).not.toContain('Not tested');
  });
  test.each([
    ['--same-prompts', ['--same-prompts', ...closed]],
    [
      'a typed seed, completions',
      [
        '--seed',
        anySeed(),
        '--api',
        'openai-completions',
        '--concurrency',
        '2',
        '--input-tokens',
        '300',
        '--output-tokens',
        '8',
      ],
    ],
    [
      'a typed prompt seed, in an open loop',
      ['--prompt-seed', anySeed(), '--rate', '1', '--input-tokens', '200', '--output-tokens', '8'],
    ],
  ])('%s twice comes from the cache: said, not comparable, and a gate is not passed', async (name, words) => {
    // The seed of --same-prompts is one and the same: a server that has been asked so before is warm at once.
    const [cold, warm] = [`${name} cold`, `${name} warm`].map((label) =>
      label.replaceAll(/\W+/g, '-').replace(/^-/, ''),
    );
    const before = await measured(cold!, ...words, '-n', '60', '--lenient');
    const after = await measured(warm!, ...words, '-n', '60', '--lenient');
    expect(codes(after.summary)).toContain('cached-prompts');
    if (codes(before.summary).includes('cached-prompts')) return;
    const { comparison, text, code } = await compared(cold!, warm!, '--fail-if', 'outputTokensPerSec<-5%');
    expect([comparison.comparable, codesOf(comparison).includes('cache-differs'), code]).toEqual([false, true, 5]);
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      /^Not comparable: .*prefix cache.*NOT SURE: outputTokensPerSec<-5% .*the two cannot be compared/,
    );
    const meant = await dyno([
      'compare',
      cold!,
      warm!,
      '--store',
      store,
      '--json',
      '--lenient',
      '--limit',
      'cache-apart=100%',
    ]);
    // Other doubts of a busy machine may still stand; this one does not.
    expect(codesOf(JSON.parse(meant.out) as Comparison)).not.toContain('cache-differs');
  });
  test('prefixes that were asked to be shared are no doubt: what they allow is known', async () => {
    const words = ['--dataset', 'shared-prefix:groups=2,prefix=512', '--input-tokens', '32', '--output-tokens', '8'];
    const { summary } = await measured('shared', ...words, '--concurrency', '4', '-n', '60', '--lenient');
    expect(doubts(summary)).toEqual([]);
    expect(summary.cache.hitRatio).toBeGreaterThan(0.4);
    expect(summary.cache.eligibleRatio).toBeGreaterThanOrEqual(summary.cache.hitRatio!);
  });
  test('asked for 0.8 of what it takes it is not overloaded, for 1.2, 1.5 and 2 times as much it is', async () => {
    const { summary: full } = await measured('full', '--concurrency', '64', '-n', '400', ...lengths, '--lenient');
    const takes = (full.steady ?? full).requestsPerSec!;
    const asked = (share: number): Promise<Measured> =>
      measured(`at ${share}`, '--rate', (share * takes).toFixed(2), '--duration', '40s', ...lengths, '--lenient');
    expect((await asked(0.8)).summary.loadState).not.toBe('overloaded');
    for (const share of [1.2, 1.5, 2]) {
      const { summary, done } = await asked(share);
      expect([share, summary.loadState, summary.steady, codes(summary).includes('overloaded'), done.code]).toEqual([
        share,
        'overloaded',
        null,
        true,
        0,
      ]);
      // A server whose tokeniser shares a core with its engine takes less while more is asked of it.
      expect(summary.flow!.answeredPerSec!).toBeLessThan(1.2 * takes);
      expect(summary.flow!.answeredPerSec!).toBeLessThan(summary.flow!.duePerSec!);
    }
  });
  test('answers of tokens without text are answers, and gaps are as long as tokens take', async () => {
    const body = ['--body', `{"logit_bias":{"${textless}":100}}`, '--ignore-eos'];
    const { summary } = await measured(
      'textless',
      '--concurrency',
      '4',
      '-n',
      '40',
      '--max-tokens',
      '40',
      ...body,
      '--lenient',
    );
    expect(summary.counts).toMatchObject({ ok: 40, failed: 0 });
    expect(codes(summary)).toContain('textless-answers');
    // Of several tokens in the first read of an answer nobody knows when the others came.
    expect(summary.itlMs!.n).toBeGreaterThan(0.9 * 40 * 39);
    expect(summary.itlMs!.n).toBeLessThanOrEqual(40 * 39);
    expect(summary.itlMs!.mean! / summary.tpotMs!.mean!).toBeCloseTo(1, 1);
  });
  test('an answer that ends with its first token is an answer', async () => {
    const body = ['--body', `{"logit_bias":{"${textless}":100}}`];
    const { summary } = await measured(
      'at once',
      '--concurrency',
      '4',
      '-n',
      '30',
      '--max-tokens',
      '40',
      ...body,
      '--lenient',
    );
    expect(summary.counts).toMatchObject({ ok: 30, failed: 0 });
    expect(summary.outputTokens!.mean).toBe(1);
    expect([summary.tpotMs, summary.itlMs]).toEqual([null, null]);
  });
  test('its front is read, with what a token cost it', async () => {
    const { summary } = await measured('front', ...closed, '-n', '60', '--lenient');
    const front = summary.server!['front'] as { processes: number; busiestRatio: number; usPerToken: number };
    expect(front.processes).toBeGreaterThanOrEqual(1);
    expect(front.usPerToken).toBeGreaterThan(0);
    expect(codes(summary).includes('front-bound')).toBe(front.busiestRatio >= 0.8);
  });

  describe.runIf(Number.isInteger(pid) && pid > 1)('whose processes may be stopped', () => {
    const signal = (name: NodeJS.Signals, pids: readonly number[]): void =>
      pids.forEach((one) => process.kill(one, name));
    const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    afterAll(() => {
      for (const one of family(pid)) if (isAlive(one)) process.kill(one, 'SIGCONT');
    });

    test.each([
      ['a closed loop', ['--concurrency', '4']],
      ['an open loop', ['--rate', '1.5']],
    ])(
      'for six seconds, in %s: all streams fell silent at once, and the figures without it are told',
      async (name, load) => {
        const under = start(run(url!, `stopped ${name}`, ...load, '--duration', '25s', ...lengths, '--lenient'));
        await later(10_000);
        const all = family(pid);
        signal('SIGSTOP', all);
        await later(6000);
        signal('SIGCONT', all);
        const { summary } = told(await under.done);
        console.log(name, JSON.stringify(summary.silences), codes(summary).join(' '));
        expect(doubts(summary)).toContain('server-silent');
        const longest = Math.max(...summary.silences!.map(({ fromMs, toMs }) => toMs - fromMs));
        expect(longest).toBeGreaterThan(5000);
        expect(longest).toBeLessThan(9000);
        expect(summary.undisturbed!.requestsPerSec!).toBeGreaterThan(summary.requestsPerSec!);
        const { fromMs, toMs } = summary.silences![0]!;
        if (summary.steady !== null)
          expect(summary.steady.fromMs >= toMs - 100 || summary.steady.toMs <= fromMs + 100).toBe(true);
      },
    );
    test('for ever: its engine is killed; no answer since then, not valid, exit 5', async () => {
      const under = start(run(url!, 'killed', '--concurrency', '4', '-n', '4000', ...lengths));
      await later(12_000);
      const engines = family(pid).filter((one) => /EngineCore/.test(nameOf(one)));
      expect(engines).not.toEqual([]);
      signal('SIGKILL', engines);
      const { done, summary } = told(await under.done);
      console.log(JSON.stringify(summary.counts), codes(summary).join(' '));
      expect([done.code, summary.verdict.valid]).toEqual([5, false]);
      expect(codes(summary)).toContain('server-gone');
    });
  });
});

test('a server that lies about its tokens: impossible counts are not valid, and no figure stands on them', async () => {
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let i = 0; i < 20; i++) res.write(chunk({ content: 'ab' }, i === 19 ? 'stop' : null));
      const usage = { prompt_tokens: 10, completion_tokens: 1000, total_tokens: 1010 };
      res.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { done, summary } = told(await dyno(run(at, 'liar', '--model', 'any', '--concurrency', '2', '-n', '40')));
  server.close();
  expect([done.code, codes(summary).includes('counts-impossible')]).toEqual([5, true]);
  expect([summary.outputTokensPerSec, summary.tpotMs, summary.itlMs]).toEqual([null, null, null]);
});

/** A process and all that it started, and those, as /proc tells. */
function family(first: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? /^\d+ \(.*\) \S (\d+)/s.exec(textOf(`/proc/${name}/stat`)) : null;
    if (found !== null) parents.set(Number(name), Number(found[1]));
  }
  const all = [first];
  for (const one of all) for (const [child, parent] of parents) if (parent === one) all.push(child);
  return all;
}

function nameOf(one: number): string {
  return textOf(`/proc/${one}/cmdline`) + textOf(`/proc/${one}/comm`);
}

function isAlive(one: number): boolean {
  return textOf(`/proc/${one}/stat`) !== '';
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
