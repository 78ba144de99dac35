import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes, printable, say, userError, UserError } from '../../core/index.ts';
import type { Target } from '../../core/index.ts';
import { readAddress } from '../../client/protocol/index.ts';
import type { Address } from '../../client/protocol/index.ts';
import {
  anyText,
  durationWithin,
  flag,
  one,
  pictureOf,
  realNumber,
  someModels,
  storeSelftestRun,
  wholeNumber,
  writeWhole,
} from '../../lab/index.ts';
import type { SettingsOf } from '../../lab/index.ts';
import { findServerStamp, runSelftest, selftestFigure, selftestText } from '../../advice/selftest/index.ts';
import type { SelftestReport } from '../../advice/selftest/index.ts';
import { example, makeCommand, printJson, remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { columnsOf } from '../terminal.ts';
import { commandWorld } from '../experiment-command.ts';
import { renderOptions } from '../render.ts';
import { spawnEngine } from '../spawned-engine.ts';

const parts = {
  streams: { en: 'keeping streams up', zh: '保持并发流' },
  schedule: { en: 'keeping a schedule', zh: '按计划发送' },
  requests: { en: 'short requests in a row', zh: '连续短请求' },
} as const;

const flags = {
  concurrency: one(
    'concurrency COUNT',
    wholeNumber(1, 100_000),
    'streams kept up (default: 200)',
    '并发流数（默认：200）',
  ),
  gapMs: one(
    'gap MS',
    (text) => (/\d *m?s$/i.test(text) ? durationWithin(1, 10_000) : realNumber(1, 10_000))(text),
    'time between two tokens of a stream, embedded engine only (default: 20)',
    '同一流中两个 token 的间隔毫秒数，仅用于内置引擎（默认：20）',
  ),
  tokens: one(
    'tokens COUNT',
    wholeNumber(2, 100_000),
    'tokens of each answer (default: 100)',
    '每个回答的 token 数（默认：100）',
  ),
  duration: one(
    'duration SECONDS',
    durationWithin(1000, 3_600_000),
    'how long streams are kept up (default: 6)',
    '保持并发流的秒数（默认：6）',
  ),
  rate: one(
    'rate PER_SEC',
    realNumber(0.01, 100_000),
    'requests per second of the scheduled part (default: half of what the streams reached)',
    '按计划发送部分的每秒请求数（默认：并发部分的一半）',
  ),
  proxy: one(
    'proxy URL',
    (text) => (text.trim() === 'none' ? null : proxyOrigin(text)),
    'reach --url through an HTTP proxy: what it costs',
    '通过 HTTP 代理访问 --url：其开销',
  ),
  url: one(
    'url URL',
    anyText,
    'a stamped server on this host instead of the embedded engine: each event tells CLOCK_MONOTONIC or CLOCK_REALTIME of its emission, as "emit_ns":"<ns>" or in any other member or its text (ns, µs, ms, or seconds with a fraction; found by one question beforehand)',
    '使用本机上带时间戳的服务器代替内置引擎：每个事件写明发出时的 CLOCK_MONOTONIC 或 CLOCK_REALTIME，字段 "emit_ns":"<纳秒>"，或任意其他字段或文本（ns、µs、ms 或带小数的秒；测试前先提一个问题自动识别）',
  ),
  tls: flag(
    'tls',
    'the embedded engine over https: what TLS costs this client',
    '内置引擎使用 https：TLS 对客户端的开销',
  ),
  http2: flag('http2', 'speak HTTP/2 to --url: what it costs this client', '以 HTTP/2 访问 --url：其对客户端的开销'),
  insecure: flag('insecure', 'accept any TLS certificate of --url', '接受 --url 的任意 TLS 证书'),
  model: one(
    'model NAME',
    anyText,
    "model to ask for (default: the server's first)",
    '模型名称（默认：服务器列出的第一个）',
  ),
  keep: flag(
    'keep',
    'keep each part as a run of the store, as dyno run would, so that it can be watched and read again',
    '像 dyno run 一样把每一部分作为运行保存到存储，可实时查看并再次读取',
  ),
  out: one(
    'out FILE',
    pictureFile,
    'the chart of the errors as a picture too (.svg or .png)',
    '同时把误差图保存为图片（.svg 或 .png）',
  ),
  lenient: flag('lenient', 'exit 0 even when the client is at its limit', '即使客户端已到极限也返回 0'),
};

type Asked = SettingsOf<typeof flags>;

export const command = makeCommand({
  about: {
    en: 'Measure the measurer: how wrong the stamps of this client on this host are, and how late it sends, at the load asked for.',
    zh: '测量测量者：在给定负载下，本机客户端的时间戳误差和发送延迟。',
  },
  arguments: [],
  flags,
  examples: [
    example(
      'dyno selftest --concurrency 1000',
      'can this host be trusted with 1000 streams of 50 tokens/s?',
      '本机能否可信地承载 1000 路每秒 50 token 的流？',
    ),
    example(
      'dyno selftest --concurrency 1000 --keep',
      'the same, to be watched with dyno ui',
      '同上，可用 dyno ui 实时查看',
    ),
    example(
      'dyno selftest --url http://127.0.0.1:9000 --concurrency 500',
      'against a stamped server of your own',
      '使用自己的带时间戳服务器',
    ),
  ],
  async run(given, asked) {
    const { url, gapMs = 20, tokens = 100, tls = false, out } = asked;
    if (url === undefined) {
      refuseReach(given);
      refuseEndless(gapMs * tokens);
    }
    const stop = new AbortController();
    const done = given.io.onInterrupt(() => stop.abort());
    let engine: Awaited<ReturnType<typeof stampedEngine>> | null = null;
    try {
      engine = url === undefined ? await stampedEngine(gapMs, tls) : null;
      const report = await measure(given, engine?.url ?? url!, { ...asked, tokens, tls }, stop);
      if (given.common.json) printJson(given, report);
      else given.io.out(selftestText(report, given.common.lang, columnsOf(given.io)));
      if (out !== undefined) await keepPicture(out, report, given);
      if (stop.signal.aborted) return exitCodes.interrupted;
      return report.verdict.valid || asked.lenient === true ? exitCodes.ok : exitCodes.notValid;
    } finally {
      done();
      await engine?.stop();
    }
  },
});

async function measure(
  given: ParsedCommand,
  url: string,
  asked: Asked & { tokens: number; tls: boolean },
  stop: AbortController,
): Promise<SelftestReport> {
  const { io, common } = given;
  const address = readAddress(url, null);
  const server = {
    url: address.url,
    api: address.api,
    headers: {},
    keyEnv: null,
    insecure: asked.tls || asked.insecure === true,
    ...reachOf(asked.proxy ?? null, asked.http2 === true),
  };
  const target = { ...server, model: asked.model ?? (await someModel(address, server)) };
  // The stamps of the embedded engine need not be looked for.
  const stamp = asked.url === undefined ? undefined : await findServerStamp(target, {});
  return runSelftest({
    target,
    secrets: {},
    ...(stamp !== undefined && { stamp }),
    concurrency: asked.concurrency ?? 200,
    tokens: asked.tokens,
    forMs: asked.duration ?? 6000,
    ratePerSec: asked.rate ?? null,
    stop: stop.signal,
    ...(asked.keep === true && { keep: storeSelftestRun(commandWorld(given).world, () => stop.abort()) }),
    onPart: (part) => {
      if (!common.quiet && !common.json) io.err(`${say(parts[part], common.lang)} …\n`);
    },
  });
}

/** The first model that the server lists; a server made for stamping need not have such a list. */
async function someModel(address: Address, server: Omit<Target, 'model'>): Promise<string> {
  try {
    return (await someModels(address, server, {}, 10_000))[0].id;
  } catch (error) {
    if (error instanceof UserError && error.mistakes.every(({ code }) => code === 'model-unknown')) return 'selftest';
    throw error;
  }
}

/** The embedded engine is reached directly. */
function refuseReach(given: ParsedCommand): void {
  const name = ['http2', 'proxy', 'insecure'].find((flagName) => given.flags.has(flagName));
  if (name === undefined) return;
  throw userError(
    'settings-disagree',
    'is for a server of your own, and there is no --url',
    '用于自己的服务器，但没有给出 --url',
    `Name the stamped server: dyno selftest --url http://127.0.0.1:9000 --${name} …`,
    `请指定带时间戳的服务器：dyno selftest --url http://127.0.0.1:9000 --${name} …`,
    `--${name}`,
  );
}

/** Longer answers than this would be given up before their end. */
const longestAnswerMs = 240_000;

function refuseEndless(answerMs: number): void {
  if (answerMs <= longestAnswerMs) return;
  const [seconds, most] = [answerMs / 1000, longestAnswerMs / 1000].map((value) => value.toFixed(0));
  throw userError(
    'settings-disagree',
    `one answer would take ${seconds} s, and ${most} s is the most`,
    `一个回答需要 ${seconds} 秒，最长为 ${most} 秒`,
    'Ask for fewer --tokens, or a smaller --gap.',
    '请减少 --tokens 或缩短 --gap。',
    '--gap',
  );
}

/** Where a picture goes. */
function pictureFile(file: string): string {
  if (/\.(?:svg|png)$/i.test(file)) return file;
  throw userError(
    'bad-value',
    `"${printable(file)}" is neither .svg nor .png`,
    `"${printable(file)}" 不是 .svg 或 .png 文件`,
    'For example --out selftest.png',
    '例如 --out selftest.png',
  );
}

async function keepPicture(file: string, report: SelftestReport, given: ParsedCommand): Promise<void> {
  const form = /\.svg$/i.test(file) ? 'svg' : 'png';
  const kept = await writeWhole(file, await pictureOf(selftestFigure(report), 900, form, renderOptions(given)));
  remark(given, 'chart in', '图表保存于', ` ${printable(kept)}`);
}

function reachOf(proxy: string | null, http2: boolean): Pick<Target, 'reach'> {
  if (proxy === null && !http2) return {};
  return { reach: { ca: null, cert: null, key: null, proxy, also: [], ...(http2 && { http2: true as const }) } };
}

function proxyOrigin(text: string): string {
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url?.protocol === 'http:' && url.username === '' && url.password === '') return url.origin;
  throw userError(
    'bad-value',
    'is not the address of an HTTP proxy',
    '不是 HTTP 代理地址',
    'For example --proxy http://127.0.0.1:3128',
    '例如 --proxy http://127.0.0.1:3128',
  );
}

/** An engine whose streams all get a token every `gapMs`, whatever their number. */
async function stampedEngine(gapMs: number, secure: boolean): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'llmdyno-selftest-'));
  const file = join(folder, 'profile.json');
  writeFileSync(file, JSON.stringify(metronome(gapMs)));
  const engine = await spawnEngine(['--profile', file, '--stamp', ...(secure ? ['--tls'] : [])]);
  return {
    url: engine.url,
    stop: async () => {
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function metronome(gapMs: number): object {
  return {
    schema: 'llmdyno.engine-profile/1',
    name: 'metronome',
    title: 'A metronome for dyno selftest',
    model: 'metronome',
    source: 'dyno selftest',
    date: '2026-11',
    cost: { aMs: gapMs, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
    jitter: { stepSigma: 0 },
    maxBatchSize: 100_000,
    maxPrefillTokens: 10_000_000,
    kv: null,
    notes: ['No engine: every stream gets a token each step, however many there are.'],
  };
}
