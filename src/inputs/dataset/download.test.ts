import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { getDataset } from './index.ts';
import type { GetOptions } from './index.ts';

const content = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `{"question":"question ${i}"}\n`).join(''));
const sha256 = createHash('sha256').update(content).digest('hex');
const path = '/datasets/AI-ModelScope/HC3-Chinese/resolve/master/open_qa.jsonl';

let server: Server;
let mirror: string;
let folder: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const asked: { url: string; range: string | undefined }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', range: request.headers.range });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'llmdyno-get-'));
  asked.length = 0;
  return () => rmSync(folder, { recursive: true });
});

const options = (more: Partial<GetOptions> = {}): GetOptions => ({ folder, mirror, from: null, sha256: null, ...more });

/** A server that knows ranges; `cutAfter` breaks the connection after so many bytes. */
function serve(etag: string, cutAfter = Infinity): typeof answer {
  return (request, response) => {
    const from =
      request.headers['if-range'] === etag ? Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    const body = content.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      etag,
      'content-length': body.length,
      'content-type': 'application/octet-stream',
      ...(from > 0 && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
    });
    if (cutAfter >= body.length) response.end(body);
    else response.write(body.subarray(0, cutAfter), () => response.destroy());
  };
}

async function failureOf(promise: Promise<unknown>): Promise<UserError> {
  const failure: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (failure instanceof UserError) return failure;
  throw new Error(`expected a UserError, got ${String(failure)}`);
}

describe('fetching a dataset', () => {
  it('puts it where it belongs, says its checksum and how to use it', async () => {
    answer = serve('"v1"');
    const got = await getDataset('hc3-chinese', options());
    expect(got).toMatchObject({ bytes: content.length, sha256, resumedAt: 0, verified: false });
    expect(got.use).toBe(`--dataset openqa:${join(folder, 'open_qa.jsonl')}`);
    expect(readFileSync(got.file)).toEqual(content);
    expect(asked.map(({ url }) => url)).toEqual([path]);
  });

  it('checks against the checksum that the server names, as Hugging Face does, or the user', async () => {
    answer = serve(`"${sha256}"`);
    expect((await getDataset('hc3-chinese', options())).verified).toBe(true);
    answer = serve('"v1"');
    expect((await getDataset('hc3-chinese', options({ sha256 }))).verified).toBe(true);
    const failure = await failureOf(getDataset('hc3-chinese', options({ sha256: '0'.repeat(64) })));
    expect(failure.mistakes[0]!.code).toBe('download-checksum');
    expect(existsSync(join(folder, 'open_qa.jsonl.part'))).toBe(false);
  });

  it('goes on where it was cut off', async () => {
    answer = serve('"v1"', 100_000);
    const failure = await failureOf(getDataset('hc3-chinese', options({ from: 'modelscope' })));
    expect(failure.exitCode).toBe(3);
    const kept = readFileSync(join(folder, 'open_qa.jsonl.part'));
    expect(kept.equals(content.subarray(0, kept.length))).toBe(true);
    answer = serve('"v1"');
    const got = await getDataset('hc3-chinese', options());
    expect(got).toMatchObject({ resumedAt: kept.length, sha256 });
    expect(asked.at(-1)!.range).toBe(`bytes=${kept.length}-`);
    expect(existsSync(join(folder, 'open_qa.jsonl.part.etag'))).toBe(false);
  });

  it('begins again when the file on the server is another one by now', async () => {
    writeFileSync(join(folder, 'open_qa.jsonl.part'), 'the beginning of an older version');
    writeFileSync(join(folder, 'open_qa.jsonl.part.etag'), '"v0"');
    answer = serve('"v1"');
    expect(await getDataset('hc3-chinese', options())).toMatchObject({ resumedAt: 0, sha256 });
  });

  it('tries the next hub, and does not take a web page for a file', async () => {
    answer = (request, response) => {
      if (request.url === path) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>');
      else serve('"v1"')(request, response);
    };
    expect((await getDataset('hc3-chinese', options())).url).toContain('Hello-SimpleAI/HC3-Chinese/resolve/main');
  });

  it('says exactly what to fetch by hand where there is no network', async () => {
    const failure = await failureOf(getDataset('hc3-chinese', options({ mirror: 'http://127.0.0.1:1' })));
    const [mistake] = failure.mistakes;
    expect(failure.exitCode).toBe(3);
    expect(mistake!.code).toBe('download-failed');
    expect(mistake!.hint.en).toContain(`curl -L -o ${join(folder, 'open_qa.jsonl')} http://127.0.0.1:1${path}`);
    expect(mistake!.hint.zh).toContain(`curl -L -o ${join(folder, 'open_qa.jsonl')} http://127.0.0.1:1${path}`);
  });

  it('names the datasets there are when asked for another', async () => {
    const failure = await failureOf(getDataset('imagenet', options()));
    expect(failure.mistakes[0]!.hint.en).toContain('hc3-chinese, codefuse-evol, sharegpt, gsm8k, longalpaca');
  });
});
