import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Exchange, Sweep } from '../../src/core/index.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { dyno, emptyFolder, engine, summaryOf } from './dyno.ts';
import type { Engine } from './dyno.ts';

const tokenizer = join(import.meta.dirname, '../fixtures/dataset/tiny-bpe');
let folder: string;
let server: Engine;
/** Answers in chunks and tells no usage; what it says depends on the question. */
let silent: Server;
let silentUrl: string;
const heardBodies: { messages: { role: string; content: string }[] }[] = [];

beforeAll(async () => {
  folder = await emptyFolder();
  server = await engine();
  silent = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += String(piece)));
    request.on('end', () => {
      if (request.url === '/tokenize') {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"count": 99}');
        return;
      }
      const asked = JSON.parse(body === '' ? '{}' : body) as (typeof heardBodies)[number];
      // The metrics page is looked for too; only asks count.
      if (request.method === 'POST') heardBodies.push(asked);
      const question = asked.messages?.at(-1)?.content ?? '';
      const answer = question.startsWith('sum') ? 'That makes 7.\n#### 1,234' : 'the man and the old day';
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of [answer.slice(0, 5), answer.slice(5)]) {
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: piece } }] })}\n\n`);
      }
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => silent.close(resolve));
});

let made = 0;
function fileOf(content: string, name = `${(made += 1)}.jsonl`): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const run = (...args: string[]) =>
  dyno(['run', ...args, '--store', join(folder, 'store'), '--json', '--quiet', '--lenient']);

function exchangesOf(runId: string): Exchange[] {
  const text = readFileSync(join(folder, 'store', runId, 'exchanges.ndjson'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exchange);
}

describe('datasets in a run', () => {
  it('one line and -n 200 is cycled, and the summary says so', async () => {
    const file = fileOf(`${JSON.stringify({ question: 'long '.repeat(500) })}\n`, 'long.jsonl');
    const done = await run(
      server.url,
      '--dataset',
      `openqa:${file}`,
      '-n',
      '200',
      '--concurrency',
      '50',
      '--max-tokens',
      '2',
    );
    const summary = summaryOf(done);
    expect(summary.counts).toMatchObject({ planned: 200, ok: 200 });
    expect(summary.verdict.findings.find(({ code }) => code === 'dataset-cycled')?.evidence).toEqual({
      requests: 200,
      prompts: 1,
    });
  });

  it('lengths asked for are the lengths the server counts, and answers are as long as asked', async () => {
    const done = await run(
      server.url,
      '--input-tokens',
      '50..150',
      '--output-tokens',
      '7',
      '-n',
      '40',
      '--concurrency',
      '20',
    );
    const summary = summaryOf(done);
    expect(summary.lengthsAsked).toEqual({ input: '50..150', output: '7' });
    const exchanges = exchangesOf(summary.runId);
    expect(exchanges.every(({ outputTokens }) => outputTokens.server === 7)).toBe(true);
    expect(exchanges.every(({ inputTokens }) => inputTokens.server === inputTokens.planned)).toBe(true);
  });

  it('a trace is replayed at its times, faster when asked, and called a replay', async () => {
    const times = [0, 40, 40, 300, 900];
    const trace = fileOf(
      times.map((timestamp) => JSON.stringify({ timestamp, input_length: 20, output_length: 3 })).join('\n'),
    );
    const done = await run(server.url, '--dataset', `mooncake:${trace}`, '--arrival', 'trace', '--speed', '2');
    const summary = summaryOf(done);
    expect(summary.load.kind).toBe('replay');
    const due = exchangesOf(summary.runId)
      .map(({ dueMs }) => dueMs)
      .toSorted((a, b) => a - b);
    expect(due.map((at) => Math.round((at - due[0]!) * 1000) / 1000)).toEqual([0, 20, 20, 150, 450]);
    expect(exchangesOf(summary.runId).every(({ outputTokens }) => outputTokens.server === 3)).toBe(true);
  });

  it('the same plan and seed ask the same, byte for byte', async () => {
    const bodies: string[] = [];
    for (let i = 0; i < 2; i++) {
      heardBodies.length = 0;
      await run(
        silentUrl,
        '--model',
        'm',
        '--input-tokens',
        'lognormal(30,20)',
        '-n',
        '20',
        '--no-preflight',
        '--seed',
        '5',
      );
      bodies.push(JSON.stringify(heardBodies));
    }
    expect(bodies[0]).toBe(bodies[1]);
    expect(heardBodies).toHaveLength(20);
  });
});

describe('what people would take wrong about lengths', () => {
  it('is said before the run: a server that counts otherwise, and the share of a template', async () => {
    const common = ['--model', 'm', '-n', '2', '--lenient', '--store', join(folder, 'notes')];
    const other = await dyno(['run', silentUrl, ...common, '--input-tokens', '50']);
    expect(other.err).toContain('/tokenize counts 99 tokens in the first prompt, 50 were planned');
    const template = await dyno([
      'run',
      silentUrl,
      ...common,
      '--dataset',
      'continuation',
      '--template',
      '12345{text}',
    ]);
    expect(template.err).toContain('the template itself adds 5 characters');
  });
});

describe('threads', () => {
  it('ask the same, byte for byte, be they 1, 2 or 4', async () => {
    const asked: string[][] = [];
    for (const threads of ['1', '2', '4']) {
      heardBodies.length = 0;
      const flags = [
        '--model',
        'm',
        '--input-tokens',
        '5..40',
        '--output-tokens',
        'normal(9,3)',
        '-n',
        '60',
        '--concurrency',
        '8',
      ];
      await run(silentUrl, ...flags, '--no-preflight', '--threads', threads, '--seed', '5');
      asked.push(heardBodies.map((body) => JSON.stringify(body)).toSorted());
    }
    expect(asked[0]).toHaveLength(60);
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[2]).toEqual(asked[0]);
  });

  const lines = Array.from({ length: 40 }, (_, i) => JSON.stringify({ question: `question ${i}`, n: i }));
  const talks = Array.from({ length: 12 }, (_, i) =>
    JSON.stringify({
      conversations: Array.from({ length: 2 * (1 + (i % 3)) }, (__, turn) => ({
        from: turn % 2 === 0 ? 'human' : 'gpt',
        value: `talk ${i} turn ${turn}`,
      })),
    }),
  );
  it.each([
    ['a file, shuffled and cycled', 'openqa', lines, ['--shuffle']],
    ['a file with drawn answer lengths', 'openqa', lines, ['--output-tokens', '3..9']],
    ['conversations', 'sharegpt-chat', talks, []],
    [
      'conversations that arrive at a rate',
      'sharegpt-chat',
      talks,
      ['--rate', '200', '--sessions', '--think-time', '5ms'],
    ],
  ])('%s is asked the same, byte for byte, by 1, 2 and 4 threads', async (_, kind, records, more) => {
    const file = fileOf(records.join('\n'));
    const asked: string[][] = [];
    for (const threads of ['1', '2', '4']) {
      heardBodies.length = 0;
      const flags = [
        '--model',
        'm',
        '--no-preflight',
        '-n',
        '50',
        '--seed',
        '5',
        '--threads',
        threads,
        '--dataset',
        `${kind}:${file}`,
      ];
      await run(silentUrl, ...flags, ...(more.includes('--rate') ? [] : ['--concurrency', '8']), ...more);
      asked.push(heardBodies.map((body) => JSON.stringify(body)).toSorted());
    }
    expect(asked[0]).toHaveLength(50);
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[2]).toEqual(asked[0]);
  });
});

describe('conversations', () => {
  const talk = (name: string) => ({
    conversations: ['one', 'two', 'three'].flatMap((turn) => [
      { from: 'human', value: `${name} ${turn}` },
      { from: 'gpt', value: 'reference' },
    ]),
  });

  it("are held turn by turn with the server's own answers, and every turn is a request of the count", async () => {
    const file = fileOf([talk('a'), talk('b')].map((record) => JSON.stringify(record)).join('\n'));
    heardBodies.length = 0;
    const flags = [
      '--model',
      'm',
      '--no-preflight',
      '--concurrency',
      '1',
      '-n',
      '6',
      '--think-time',
      '20ms',
      '--no-text',
    ];
    const summary = summaryOf(await run(silentUrl, ...flags, '--dataset', `sharegpt-chat:${file}`));
    expect(summary.counts).toMatchObject({ planned: 6, ok: 6 });
    const said = heardBodies.map(({ messages }) => messages.map(({ content }) => content).join(' | ')).toSorted();
    const answer = 'the man and the old day';
    expect(said).toEqual(
      ['a', 'b'].flatMap((name) => [
        `${name} one`,
        `${name} one | ${answer} | ${name} two`,
        `${name} one | ${answer} | ${name} two | ${answer} | ${name} three`,
      ]),
    );
    const exchanges = exchangesOf(summary.runId);
    expect(exchanges.map(({ labels }) => `${labels['session']}/${labels['turn']}`).toSorted()).toEqual([
      'line-1/1',
      'line-1/2',
      'line-1/3',
      'line-2/1',
      'line-2/2',
      'line-2/3',
    ]);
    // A turn is sent no sooner than its user has thought.
    for (const session of ['line-1', 'line-2']) {
      const turns = exchanges
        .filter(({ labels }) => labels['session'] === session)
        .toSorted((a, b) => a.sentMs! - b.sentMs!);
      for (const [i, turn] of turns.slice(1).entries()) expect(turn.sentMs! - turns[i]!.endMs).toBeGreaterThan(19);
    }
  });
});

describe('a server that tells no usage', () => {
  const flags = ['--model', 'm', '--no-preflight', '-n', '6', '--dataset'];

  it('has the turns of conversations counted with their history', async () => {
    const said = ['the man', 'the day', 'the old'].map((value) => ({ from: 'human', value }));
    const file = fileOf(JSON.stringify({ conversations: said }));
    const more = ['--tokenizer', tokenizer, '-n', '3'];
    const summary = summaryOf(
      await run(silentUrl, ...flags.slice(0, 3), ...more, '--dataset', `sharegpt-chat:${file}`),
    );
    const counted = exchangesOf(summary.runId).toSorted((a, b) => a.seq - b.seq);
    // 2 tokens a question, 6 an answer, and a line end between two messages is one of the tiny vocabulary.
    expect(counted.map(({ inputTokens }) => inputTokens.client)).toEqual([
      2,
      2 + 1 + 6 + 1 + 2,
      2 + 2 * (1 + 6 + 1 + 2),
    ]);
  });

  it('has its tokens counted after the run by the tokenizer, and the summary says by whom', async () => {
    const file = fileOf('{"question":"the old man"}\n');
    const done = await run(silentUrl, ...flags, `openqa:${file}`, '--tokenizer', tokenizer);
    const summary = summaryOf(done);
    expect(summary.tokenSource).toEqual({ input: 'client', output: 'client' });
    // Counted by the Rust library: 6 tokens of answer, 3 of question (all words of the tiny vocabulary).
    expect([summary.inputTokens?.mean, summary.outputTokens?.mean]).toEqual([3, 6]);
  });

  it('without a tokenizer has characters and no tokens', async () => {
    const summary = summaryOf(await run(silentUrl, ...flags, 'lines:' + fileOf('hello\n')));
    expect([summary.outputTokens, summary.outputTokensPerSec, summary.tokenSource.output]).toEqual([null, null, null]);
    expect(summary.outputCharsPerSec).toBeGreaterThan(0);
    expect(summary.verdict.findings.map(({ code }) => code)).toContain('tokens-unknown');
  });

  it('has GSM8K answers checked: two of three questions are answered right', async () => {
    const records = [
      { question: 'sum one', answer: 'x\n#### 1234' },
      { question: 'sum two', answer: '#### 1,234' },
      { question: 'other', answer: '#### 7' },
    ];
    const file = fileOf(records.map((record) => JSON.stringify(record)).join('\n'));
    const summary = summaryOf(await run(silentUrl, ...flags, `gsm8k:${file}`));
    expect(summary.accuracy).toEqual({ correct: 4, of: 6, ratio: 4 / 6 });
  });
});

describe('the grid of the continuation template', () => {
  it('runs from one command, every cell with its real lengths, and prints both tables and the chart', async () => {
    const args = [
      'sweep',
      server.url,
      '--dataset',
      'continuation',
      '--grid',
      'input=100,500',
      'output=100,500,1000',
      '-n',
      '2',
      '--max-tokens',
      '4',
      '--concurrency',
      '2',
      '--store',
      join(folder, 'grid'),
      '--lenient',
    ];
    const done = await dyno(args);
    expect(done.code).toBe(0);
    expect(done.out).toContain('input \\ output');
    expect(done.out).toContain('real in');
    expect(done.out).toContain('o 100   x 500');
    const [kept] = readdirSync(join(folder, 'grid'));
    const bytes = readFileSync(join(folder, 'grid', kept!, 'grid.png'));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(readFileSync(join(folder, 'grid', kept!, 'grid.svg'), 'utf8')).toContain('<svg');
    const page = await dyno([
      'report',
      'latest',
      '--store',
      join(folder, 'grid'),
      '--as',
      'html',
      '--out',
      join(folder, 'grid.html'),
    ]);
    expect(page.code).toBe(0);
    expect(readFileSync(join(folder, 'grid.html'), 'utf8')).toContain('input 500');
    const json = await dyno(['report', 'latest', '--store', join(folder, 'grid'), '--json']);
    const sweep = JSON.parse(json.out) as Sweep;
    expect(sweep.variable).toBe('grid');
    expect(sweep.points.map(({ lengthsAsked }) => `${lengthsAsked?.input}→${lengthsAsked?.output}`)).toEqual([
      '100→100',
      '100→500',
      '100→1000',
      '500→100',
      '500→500',
      '500→1000',
    ]);
    // The engine reckons 0.7 tokens per Chinese character: 100 of them and a template of about forty more.
    for (const { inputTokens, lengthsAsked } of sweep.points) {
      const [least, most] = lengthsAsked?.input === '100' ? [70, 110] : [350, 400];
      expect(inputTokens?.mean).toBeGreaterThan(least);
      expect(inputTokens?.mean).toBeLessThan(most);
    }
  });
});

describe('a model that takes only so many tokens', () => {
  it('is known from the list of models, and longer prompts are refused with their line before anything is asked', async () => {
    const asked: string[] = [];
    const small = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const models = { data: [{ id: 'other' }, { id: 'm', max_model_len: 64 }] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(models));
    });
    await new Promise<void>((resolve) => small.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(small.address() as AddressInfo).port}`;
    const file = fileOf(`{"question":"short"}\n${JSON.stringify({ question: 'the old man '.repeat(40).trim() })}\n`);
    const flags = ['--model', 'm', '--no-preflight', '--store', join(folder, 'small')];
    const known = await dyno([
      'run',
      url,
      ...flags.filter((flag) => flag !== '--no-preflight'),
      '-n',
      '2',
      '--dataset',
      `openqa:${file}`,
      '--tokenizer',
      tokenizer,
    ]);
    // 120 words of the tiny vocabulary, a token each (counts.json).
    expect([known.code, known.err]).toEqual([2, expect.stringContaining('prompt line-2 takes 120 tokens')]);
    expect(known.err).toContain('the model takes 64 together');
    const random = await dyno([
      'run',
      url,
      ...flags.slice(0, 2),
      '--store',
      join(folder, 'small'),
      '-n',
      '2',
      '--input-tokens',
      '60',
      '--output-tokens',
      '5',
    ]);
    expect([random.code, random.err]).toEqual([
      2,
      expect.stringContaining('prompt random-0 takes 60 tokens and its answer up to 5'),
    ]);
    expect(asked.every((line) => line === 'GET /v1/models')).toBe(true);
    small.closeAllConnections();
    await new Promise((resolve) => small.close(resolve));
  });
});

describe('bad input is told before anything is sent', () => {
  it.each([
    ['an unknown kind', ['--dataset', 'poems:x'], 'no dataset kind or file "poems:x"'],
    [
      'a wrong field',
      ['--dataset', 'WRONG_FIELD', '--field', 'prompt'],
      'no field "prompt"; the fields there are: "question"',
    ],
    ['invalid UTF-8', ['--dataset', 'INVALID'], 'bad.txt:2: the line is not valid UTF-8'],
    ['a tokenizer that is none', ['--tokenizer', 'WRONG_FIELD'], 'this is not a tokenizer that can be read'],
    [
      'a prompt longer than the model takes',
      ['--input-tokens', '5000', '--context-tokens', '4096'],
      'the model takes 4096',
    ],
    ['lengths that are none', ['--input-tokens', '500..100'], '"500..100" is no length'],
    ['a shape that is none', ['--ramp', 'jump(3)'], 'is no shape of a rate'],
    ['a rise without a rate', ['--ramp', '10s'], 'a rise needs a rate'],
    ['a trace without times', ['--arrival', 'trace'], 'carries no times'],
  ])('%s', async (_, flags, words) => {
    const good = fileOf('{"question":"fine"}\n');
    const bad = join(folder, 'bad.txt');
    writeFileSync(bad, Buffer.concat([Buffer.from('good\n'), Buffer.from([0xc3, 0x28, 0x0a])]));
    heardBodies.length = 0;
    const args = flags.map((flag) => (flag === 'WRONG_FIELD' ? good : flag === 'INVALID' ? `lines:${bad}` : flag));
    const done = await dyno(['run', silentUrl, '--model', 'm', ...args, '--store', join(folder, 'none')]);
    expect(done.code).toBe(2);
    expect(done.err).toContain(words);
    expect(heardBodies).toHaveLength(0);
  });
});
