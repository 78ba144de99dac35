import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder } from './dyno.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');
/** Sets a title, clears the screen, turns letters around, overwrites a line: in both spellings of a control. */
const evil = 'x\u001b]0;owned\u0007\u001b[2J\u001b[5mblink\u009b31mred\u202ekcab\u2066\rover\u0085end';
const fileEvil = evil.replaceAll('/', '');
let folder: string;
let server: Server;
let url: string;

/** A pseudo-terminal of util-linux, where there is one. */
const hasTerminal =
  spawnSync('script', ['-qec', 'true', '/dev/null'], { env: { ...process.env, SHELL: '/bin/sh' } }).status === 0;

beforeAll(async () => {
  folder = await emptyFolder();
  server = createServer((request, response) => {
    response.setHeader('server', 'evil\u009b31m');
    if (request.url!.endsWith('/models'))
      return void response.end(JSON.stringify({ data: [{ id: evil, max_model_len: 4096 }] }));
    if (request.url!.startsWith('/bad')) return void response.writeHead(400).end(JSON.stringify({ error: evil }));
    response.setHeader('content-type', 'text/event-stream');
    const choice = { index: 0, delta: { content: evil }, finish_reason: 'stop' };
    response.end(`data: ${JSON.stringify({ model: evil, choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

/** The bytes that a terminal gets, read as Latin-1 so that each stands for itself. */
function onTerminal(words: readonly string[]): Promise<Buffer> {
  const quoted = [process.execPath, main, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qec', quoted, '/dev/null'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      TERM: 'xterm',
      DYNO_STORE: join(folder, 'store'),
      SHELL: '/bin/sh',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  return new Promise((resolve) => child.once('close', () => resolve(Buffer.concat(pieces))));
}

/** What is left that a terminal obeys once our own styles, redrawn lines and ends of lines are taken away. */
function obeyed(bytes: Buffer): string[] {
  const text = bytes
    .toString('utf8')
    .replaceAll(/\r+\n/g, '\n')
    .replaceAll(/\u001b\[(?:1|2|22|31|32|33|39)m|\r\u001b\[2K/g, '');
  return (
    text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069].{0,8}/gu) ?? []
  );
}

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return name;
}

describe.runIf(hasTerminal)('words of strangers on a terminal', () => {
  test('no command lets them do anything there, whatever says them', async () => {
    const prompts = file(`${fileEvil}.jsonl`, `${JSON.stringify({ prompt: evil, id: evil })}\n{"prompt": 1${evil}\n`);
    const good = file(`good ${fileEvil}.jsonl`, `${JSON.stringify({ prompt: evil })}\n`);
    const table = `# ${evil}\n\n| Concurrency ${evil} | QPS | TTFT (ms) |\n|---|---|---|\n| 1 | 2${evil} | 3 |\n| 2 | 4 | 9 |\n`;
    const document = file(`${fileEvil}.md`, table);
    const json = file(`${fileEvil}.json`, JSON.stringify({ model_type: evil, architectures: [evil], [evil]: evil }));
    const yaml = file(`${fileEvil}.yaml`, `url: "${evil}"\n${evil}: 1\n`);
    const load = ['--concurrency', '2', '-n', '6', '--lenient', '--label', evil];
    const commands = [
      ['run', url, ...load],
      ['run', `${url}/bad`, '--model', evil, ...load],
      ['run', `${url}/bad`, '--no-preflight', '--model', evil, ...load],
      ['sweep', url, '--concurrency', '1,2', '-n', '4', '--lenient', '--label', evil],
      ['sim', ...load],
      ['runs'],
      ['runs', '--json'],
      ['runs', 'tag', 'latest', evil],
      ['report', 'latest'],
      ...['json', 'markdown', 'csv', 'evalscope', 'vllm', 'mindie', 'junit'].map((form) => [
        'report',
        'latest',
        '--as',
        form,
      ]),
      ['audit', 'latest'],
      ['audit', document],
      ['audit', json, '--json'],
      ['import', document],
      ['import', folder],
      ['dataset', 'inspect', good],
      ['dataset', 'inspect', prompts],
      ['dataset', 'sample', good],
      ['dataset', 'sample', good, '--json'],
      ['doctor', url],
      ['doctor', `${url}/bad`, '--json'],
      ['plan', '--model-config', json],
      ['plan', '--check', json],
      ['devices', '--from', document],
      ['fit', json],
      ['tune', yaml],
      ['run', yaml],
      ['run', url, '--api', evil],
      ['run', evil],
      ['sim', '--profile', evil],
      ['report', evil],
      [evil],
      ['run', `--${evil}`],
    ];
    const found: Record<string, string[]> = {};
    let heard = '';
    for (const words of commands) {
      const bytes = await onTerminal(words);
      heard += bytes.toString('utf8');
      if (obeyed(bytes).length > 0) found[JSON.stringify(words)] = obeyed(bytes);
    }
    expect(found).toEqual({});
    // They were said, and our own styles arrive.
    expect(heard).toContain('\\u001b]0;owned');
    expect(heard).toContain('\u001b[1m');
    expect(readdirSync(join(folder, 'store')).length).toBeGreaterThan(4);
  });
});
