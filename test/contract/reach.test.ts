import { X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ended, Prompt, Reach } from '../../src/core/index.ts';
import { makeCertificate, selfSigned, startEngine } from '../../src/engine/http/index.ts';
import type { Certified, EngineOptions } from '../../src/engine/http/index.ts';
import { endpointOf } from '../../src/client/load/endpoint.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { requestWriter } from '../../src/client/load/request-text.ts';
import { builtinProfile, defaultProfileName } from '../../src/engine/sim/index.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { smallPlan } from './runner-contract.ts';
import { unrehearsed } from './unrehearsed.ts';

const day = 24 * 3600 * 1000;
const from = new Date(Date.now() - 10 * day);
const until = new Date(Date.now() + 10 * day);
const plainly: Reach = { ca: null, cert: null, key: null, proxy: null, also: [] };
const authority = {
  name: 'test authority',
  ...makeCertificate({ name: 'test authority', hosts: [], from, until, authority: true }),
};
const signed = (name: string, end = until): Certified =>
  makeCertificate({ name, hosts: ['127.0.0.1', 'localhost'], from, until: end, signer: authority });
const engineOf = (more: Partial<EngineOptions>) =>
  startEngine({ profile: builtinProfile(defaultProfileName), speed: 500, models: ['any'], ...more });

let folder: string;
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmdyno-reach-'));
  await writeFile(file('ca.pem'), authority.cert);
  await writeFile(file('other-ca.pem'), selfSigned([]).cert);
  const mine = signed('a client');
  await writeFile(file('cert.pem'), mine.cert);
  await writeFile(file('key.pem'), mine.key);
});

async function ask(
  url: string,
  reach: Reach,
  more: { insecure?: boolean; requests?: number; secrets?: Record<string, string>; prompts?: Prompt[] } = {},
): Promise<Ended[]> {
  const base = smallPlan(`${url}/v1/chat/completions`, { requests: more.requests ?? 1 });
  const plan = { ...base, target: { ...base.target, reach, insecure: more.insecure ?? false } };
  const runner = makeLoadRunner({
    rehearsal: unrehearsed,
    secrets: more.secrets ?? {},
    workload: () => fromPrompts(more.prompts ?? [plainPrompt('one', 'Why?')], { offset: 0, cycle: true }),
  });
  const never = new AbortController().signal;
  const all: Ended[] = [];
  for await (const ended of runner.run(plan, { drain: never, cancel: never }, [])) all.push(ended);
  return all;
}

describe('certificates', () => {
  const served = async (tls: NonNullable<EngineOptions['tls']>, reach: Reach, insecure = false): Promise<string> => {
    const engine = await engineOf({ tls });
    try {
      const [ended] = await ask(engine.url, reach, { insecure });
      const { problem } = ended!.exchange;
      return problem === null ? 'ok' : `${problem.code}: ${problem.words}`;
    } finally {
      await engine.close();
    }
  };

  test('what we write is a certificate that OpenSSL reads, with the names, dates and signature asked for', () => {
    const read = new X509Certificate(signed('a server').cert);
    expect(read.subject).toBe('CN=a server');
    expect(read.issuer).toBe('CN=test authority');
    expect(read.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(read.checkHost('localhost')).toBe('localhost');
    expect(read.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
    expect(read.verify(new X509Certificate(selfSigned([]).cert).publicKey)).toBe(false);
    expect(new Date(read.validTo).getTime()).toBe(Math.floor(until.getTime() / 1000) * 1000);
    expect(new X509Certificate(selfSigned(['::2']).cert).subjectAltName).toContain('IP Address:0:0:0:0:0:0:0:2');
    expect(new X509Certificate(authority.cert).ca).toBe(true);
    expect(read.ca).toBe(false);
  });

  test('the right authority is trusted', async () => {
    expect(await served(signed('server'), { ...plainly, ca: file('ca.pem') })).toBe('ok');
  });

  test('a wrong authority has its own cause, and --insecure passes it over', async () => {
    const why = await served(signed('server'), { ...plainly, ca: file('other-ca.pem') });
    expect(why).toMatch(/^tls: the server's certificate is signed by nobody we trust: name its authority with --ca/);
    expect(await served(signed('server'), plainly)).toMatch(/signed by nobody we trust/);
    expect(await served(signed('server'), plainly, true)).toBe('ok');
  });

  test('an expired certificate has its own cause', async () => {
    const old = signed('server', new Date(Date.now() - day));
    expect(await served(old, { ...plainly, ca: file('ca.pem') })).toMatch(/^tls: the server's certificate has expired/);
  });

  test('a certificate for another host has its own cause', async () => {
    const other = makeCertificate({ name: 'x', hosts: ['example.org'], from, until, signer: authority });
    expect(await served(other, { ...plainly, ca: file('ca.pem') })).toMatch(
      /^tls: the server's certificate is for another host/,
    );
  });

  test('a missing client certificate has its own cause, and a right one is taken', async () => {
    const tls = { ...signed('server'), clientCa: authority.cert };
    expect(await served(tls, { ...plainly, ca: file('ca.pem') })).toMatch(
      /^tls: the server asks for a client certificate/,
    );
    const mine = { ...plainly, ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') };
    expect(await served(tls, mine)).toBe('ok');
  });

  test('https against a server that speaks http has its own cause', async () => {
    const engine = await engineOf({});
    try {
      const [ended] = await ask(engine.url.replace('http:', 'https:'), plainly);
      expect(ended!.exchange.problem!.code).toBe('tls');
      expect(ended!.exchange.problem!.words).toContain('http instead of https?');
    } finally {
      await engine.close();
    }
  });
});

describe('other ways to a server', () => {
  test('several servers are asked in turn, each under its own name', async () => {
    const engines = [await engineOf({}), await engineOf({}), await engineOf({})];
    try {
      const [first, ...others] = engines.map(({ url }) => url);
      const also = others.map((url) => `${url}/v1/chat/completions`);
      const all = await ask(first!, { ...plainly, also }, { requests: 60 });
      expect(all.filter(({ exchange }) => exchange.outcome === 'ok')).toHaveLength(60);
      expect(engines.map((engine) => engine.stats().requests)).toEqual([20, 20, 20]);
    } finally {
      await Promise.all(engines.map((engine) => engine.close()));
    }
  });

  test('an HTTP proxy is given the whole address', async () => {
    const engine = await engineOf({});
    const seen: string[] = [];
    const proxy = createServer((req, res) => {
      seen.push(req.url!);
      const on = request(req.url!, { method: req.method!, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      });
      req.pipe(on);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = proxy.address() as AddressInfo;
      const [ended] = await ask(engine.url, { ...plainly, proxy: `http://127.0.0.1:${port}` });
      expect(ended!.exchange.outcome).toBe('ok');
      expect(seen).toEqual([`${engine.url}/v1/chat/completions`]);
    } finally {
      proxy.close();
      proxy.closeAllConnections();
      await engine.close();
    }
  });

  test('of several servers each conversation keeps to one, whoever asks and in whatever order', async () => {
    const engines = [await engineOf({}), await engineOf({}), await engineOf({})];
    try {
      const [first, ...others] = engines.map(({ url }) => url);
      const also = others.map((url) => `${url}/v1/chat/completions`);
      const of = (session: string): Prompt => ({ ...plainPrompt(session, 'Why?'), labels: { session } });
      const askSessions = async (names: string[]): Promise<number[]> => {
        const before = engines.map((engine) => engine.stats().requests);
        const all = await ask(
          first!,
          { ...plainly, also, spread: 'session' },
          { requests: names.length, prompts: names.map(of) },
        );
        expect(all.filter(({ exchange }) => exchange.outcome === 'ok')).toHaveLength(names.length);
        return engines.map((engine, i) => engine.stats().requests - before[i]!);
      };
      const names = Array.from({ length: 30 }, (_, i) => `talk-${i}`);
      const homes: number[] = [];
      for (const name of names) {
        const asked = await askSessions([name, name, name]);
        expect(asked.toSorted((a, b) => a - b)).toEqual([0, 0, 3]);
        homes.push(asked.indexOf(3));
      }
      expect(new Set(homes).size).toBe(3);
      const counts = [0, 1, 2].map((home) => homes.filter((each) => each === home).length);
      expect(await askSessions(names.toReversed())).toEqual(counts);
    } finally {
      await Promise.all(engines.map((engine) => engine.close()));
    }
  });

  describe('an https server behind a proxy', () => {
    /** A proxy that carries connections, wants a name where `name` is given, and may cut or refuse them. */
    async function proxyOf(options: { name?: string; refuse?: string } = {}) {
      const seen: { target: string; authorization: string | null }[] = [];
      const sockets = new Set<Socket>();
      const proxy = createServer();
      proxy.on('connect', (asked, client: Socket) => {
        const authorization = asked.headers['proxy-authorization'] ?? null;
        seen.push({ target: asked.url!, authorization });
        sockets.add(client);
        client.on('error', () => {});
        if (options.refuse !== undefined) return void client.end(`HTTP/1.1 ${options.refuse}\r\n\r\n`);
        if (options.name !== undefined && authorization !== options.name)
          return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
        const [host, port] = asked.url!.split(':') as [string, string];
        const on = connect(Number(port), host, () => {
          client.write('HTTP/1.1 200 Connection established\r\n\r\n');
          on.pipe(client);
          client.pipe(on);
        });
        on.on('error', () => client.destroy());
        client.on('close', () => on.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const stop = (): void => {
        for (const socket of sockets) socket.destroy();
        proxy.close();
      };
      return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, seen, stop };
    }

    test('is reached by CONNECT, its certificate checked end to end, connections reused', async () => {
      const engine = await engineOf({ tls: signed('server') });
      const proxy = await proxyOf();
      try {
        const reach = { ...plainly, ca: file('ca.pem'), proxy: proxy.url };
        const all = await ask(engine.url, reach, { requests: 40 });
        expect(all.filter(({ exchange }) => exchange.outcome === 'ok')).toHaveLength(40);
        expect(new Set(proxy.seen.map(({ target }) => target))).toEqual(new Set([new URL(engine.url).host]));
        expect(proxy.seen.length).toBeLessThanOrEqual(8);
        const wrong = await ask(engine.url, { ...plainly, ca: file('other-ca.pem'), proxy: proxy.url });
        expect(wrong[0]!.exchange.problem!.words).toMatch(/signed by nobody we trust/);
      } finally {
        proxy.stop();
        await engine.close();
      }
    });

    test('the name for the proxy is told to the proxy alone; without it the cause says what to do', async () => {
      const engine = await engineOf({ tls: signed('server') });
      const proxy = await proxyOf({ name: 'Basic bWU6c2VjcmV0' });
      try {
        const reach = { ...plainly, ca: file('ca.pem'), proxy: proxy.url };
        const refused = await ask(engine.url, reach, { requests: 3 });
        expect(new Set(refused.map(({ exchange }) => exchange.problem!.code))).toEqual(new Set(['connect-failed']));
        expect(refused[0]!.exchange.problem!.words).toMatch(/HTTPS_PROXY/);
        const secrets = { 'proxy-authorization': 'Basic bWU6c2VjcmV0' };
        const taken = await ask(engine.url, reach, { requests: 10, secrets });
        expect(taken.filter(({ exchange }) => exchange.outcome === 'ok')).toHaveLength(10);
        const endpoint = endpointOf({ url: engine.url, insecure: false, reach }, secrets);
        expect(
          requestWriter(endpoint, smallPlan(engine.url).target, secrets)({ method: 'POST', headers: [], body: '' }),
        ).not.toMatch(/proxy-authorization/i);
      } finally {
        proxy.stop();
        await engine.close();
      }
    });

    test('a proxy that refuses, and one that is not there', async () => {
      const engine = await engineOf({ tls: signed('server') });
      const proxy = await proxyOf({ refuse: '502 Bad Gateway' });
      try {
        const [refused] = await ask(engine.url, { ...plainly, proxy: proxy.url }, { insecure: true });
        expect(refused!.exchange.problem).toMatchObject({ code: 'connect-failed', status: 502 });
        const [gone] = await ask(engine.url, { ...plainly, proxy: 'http://127.0.0.1:9' }, { insecure: true });
        expect(gone!.exchange.problem).toMatchObject({ code: 'connect-refused' });
        expect(gone!.exchange.problem!.words).toMatch(/at the proxy/);
      } finally {
        proxy.stop();
        await engine.close();
      }
    });
  });
});
