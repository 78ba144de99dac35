import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes, printable, say, UserError } from '../../core/index.ts';
import type { Target } from '../../core/index.ts';
import { readAddress } from '../../client/protocol/index.ts';
import type { Address } from '../../client/protocol/index.ts';
import { figureSvg } from '../../results/report/index.ts';
import {
  BadValue,
  durationWithin,
  one,
  realNumber,
  someModels,
  storeSelftestRun,
  wholeNumber,
} from '../../lab/index.ts';
import { findServerStamp, runSelftest, selftestFigure, selftestText } from '../../advice/selftest/index.ts';
import type { SelftestReport } from '../../advice/selftest/index.ts';
import { example, valueFlag, last, toggle } from '../command.ts';
import type { CommandFile, ParsedCommand } from '../command.ts';
import { flagsOf, wordsOf } from '../plan-input.ts';
import { columnsOf } from '../terminal.ts';
import { commandWorld } from '../experiment-command.ts';
import { writeWhole } from '../render.ts';
import { spawnEngine } from '../spawned-engine.ts';
import { drawn } from '../drawn.ts';

const parts = {
  streams: { en: 'keeping streams up', zh: '保持并发流' },
  schedule: { en: 'keeping a schedule', zh: '按计划发送' },
  requests: { en: 'short requests in a row', zh: '连续短请求' },
} as const;

const settings = {
  concurrency: one(
    'concurrency',
    'COUNT',
    wholeNumber(1, 100_000),
    'streams kept up (default: 200)',
    '并发流数（默认：200）',
  ),
  gapMs: one(
    'gap',
    'MS',
    (text) => (/\d *m?s$/i.test(text) ? durationWithin(1, 10_000) : realNumber(1, 10_000))(text),
    'time between two tokens of a stream, embedded engine only (default: 20)',
    '同一流中两个 token 的间隔毫秒数，仅用于内置引擎（默认：20）',
  ),
  tokens: one(
    'tokens',
    'COUNT',
    wholeNumber(2, 100_000),
    'tokens of each answer (default: 100)',
    '每个回答的 token 数（默认：100）',
  ),
  forMs: one(
    'duration',
    'SECONDS',
    durationWithin(1000, 3_600_000),
    'how long streams are kept up (default: 6)',
    '保持并发流的秒数（默认：6）',
  ),
  ratePerSec: one(
    'rate',
    'PER_SEC',
    realNumber(0.01, 100_000),
    'requests per second of the scheduled part (default: half of what the streams reached)',
    '按计划发送部分的每秒请求数（默认：并发部分的一半）',
  ),
  proxy: one(
    'proxy',
    'URL',
    (text) => (text.trim() === 'none' ? null : proxyOrigin(text)),
    'reach --url through an HTTP proxy: what it costs',
    '通过 HTTP 代理访问 --url：其开销',
  ),
};

const usual = { concurrency: 200, gapMs: 20, tokens: 100, forMs: 6000, ratePerSec: null, proxy: null };

export const command: CommandFile = {
  about: {
    en: 'Measure the measurer: how wrong the stamps of this client on this host are, and how late it sends, at the load asked for.',
    zh: '测量测量者：在给定负载下，本机客户端的时间戳误差和发送延迟。',
  },
  arguments: [],
  flags: [
    ...flagsOf(settings),
    valueFlag(
      'url',
      'URL',
      'a stamped server on this host instead of the embedded engine: each event tells CLOCK_MONOTONIC or CLOCK_REALTIME of its emission, as "emit_ns":"<ns>" or in any other member or its text (ns, µs, ms, or seconds with a fraction; found by one question beforehand)',
      '使用本机上带时间戳的服务器代替内置引擎：每个事件写明发出时的 CLOCK_MONOTONIC 或 CLOCK_REALTIME，字段 "emit_ns":"<纳秒>"，或任意其他字段或文本（ns、µs、ms 或带小数的秒；测试前先提一个问题自动识别）',
    ),
    toggle(
      'tls',
      'the embedded engine over https: what TLS costs this client',
      '内置引擎使用 https：TLS 对客户端的开销',
    ),
    toggle('http2', 'speak HTTP/2 to --url: what it costs this client', '以 HTTP/2 访问 --url：其对客户端的开销'),
    toggle('insecure', 'accept any TLS certificate of --url', '接受 --url 的任意 TLS 证书'),
    valueFlag(
      'model',
      'NAME',
      "model to ask for (default: the server's first)",
      '模型名称（默认：服务器列出的第一个）',
    ),
    toggle(
      'keep',
      'keep each part as a run of the store, as dyno run would, so that it can be watched and read again',
      '像 dyno run 一样把每一部分作为运行保存到存储，可实时查看并再次读取',
    ),
    valueFlag(
      'out',
      'FILE',
      'the chart of the errors as a picture too (.svg or .png)',
      '同时把误差图保存为图片（.svg 或 .png）',
    ),
    toggle('lenient', 'exit 0 even when the client is at its limit', '即使客户端已到极限也返回 0'),
  ],
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
  async run(given) {
    const asked = { ...usual, ...wordsOf(given, settings) };
    const url = last(given, 'url');
    if (url === undefined) {
      refuseReach(given);
      refuseEndless(asked.gapMs * asked.tokens);
    }
    const out = pictureFile(given);
    const secure = given.flags.has('tls');
    const stop = new AbortController();
    const done = given.io.onInterrupt(() => stop.abort());
    let engine: Awaited<ReturnType<typeof stampedEngine>> | null = null;
    try {
      engine = url === undefined ? await stampedEngine(asked.gapMs, secure) : null;
      const report = await measure(given, engine?.url ?? url!, asked, stop);
      given.io.out(
        given.common.json
          ? `${JSON.stringify(report, null, 2)}\n`
          : selftestText(report, given.common.lang, columnsOf(given.io)),
      );
      if (out !== null) await keepPicture(out, report, given);
      if (stop.signal.aborted) return exitCodes.interrupted;
      return report.verdict.valid || given.flags.has('lenient') ? exitCodes.ok : exitCodes.notValid;
    } finally {
      done();
      await engine?.stop();
    }
  },
};

/** What is measured, and through which proxy. */
interface SelftestAsked {
  concurrency: number;
  tokens: number;
  forMs: number;
  ratePerSec: number | null;
  proxy: string | null;
}

async function measure(
  given: ParsedCommand,
  url: string,
  { proxy, ...asked }: SelftestAsked,
  stop: AbortController,
): Promise<SelftestReport> {
  const { io, common } = given;
  const address = readAddress(url, null);
  const server = {
    url: address.url,
    api: address.api,
    headers: {},
    keyEnv: null,
    insecure: given.flags.has('tls') || given.flags.has('insecure'),
    ...reachOf(proxy, given.flags.has('http2')),
  };
  const model = last(given, 'model') ?? (await someModel(address, server));
  const target = { ...server, model };
  // The embedded engine stamps as we know it.
  const stamp = last(given, 'url') === undefined ? undefined : await findServerStamp(target, {});
  return runSelftest({
    target,
    secrets: {},
    ...(stamp !== undefined && { stamp }),
    ...asked,
    stop: stop.signal,
    ...(given.flags.has('keep') && { keep: storeSelftestRun(commandWorld(given).world, () => stop.abort()) }),
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
  const name = ['http2', 'proxy', 'insecure'].find((flag) => given.flags.has(flag));
  if (name === undefined) return;
  throw new UserError({
    code: 'settings-disagree',
    message: {
      en: 'is for a server of your own, and there is no --url',
      zh: '用于自己的服务器，但没有给出 --url',
    },
    hint: {
      en: `Name the stamped server: dyno selftest --url http://127.0.0.1:9000 --${name} …`,
      zh: `请指定带时间戳的服务器：dyno selftest --url http://127.0.0.1:9000 --${name} …`,
    },
    place: { flag: `--${name}` },
  });
}

/** Longer answers than this would be given up before their end. */
const longestAnswerMs = 240_000;

function refuseEndless(answerMs: number): void {
  if (answerMs <= longestAnswerMs) return;
  const [seconds, most] = [answerMs / 1000, longestAnswerMs / 1000].map((value) => value.toFixed(0));
  throw new UserError({
    code: 'settings-disagree',
    message: {
      en: `one answer would take ${seconds} s, and ${most} s is the most`,
      zh: `一个回答需要 ${seconds} 秒，最长为 ${most} 秒`,
    },
    hint: { en: 'Ask for fewer --tokens, or a smaller --gap.', zh: '请减少 --tokens 或缩短 --gap。' },
    place: { flag: '--gap' },
  });
}

/** Where a picture goes; null = none is asked for. */
function pictureFile(given: ParsedCommand): string | null {
  const file = last(given, 'out') ?? null;
  if (file === null || /\.(?:svg|png)$/i.test(file)) return file;
  throw new UserError({
    code: 'bad-value',
    message: { en: `"${printable(file)}" is neither .svg nor .png`, zh: `"${printable(file)}" 不是 .svg 或 .png 文件` },
    hint: { en: 'For example --out selftest.png', zh: '例如 --out selftest.png' },
    place: { flag: '--out' },
  });
}

async function keepPicture(file: string, report: SelftestReport, given: ParsedCommand): Promise<void> {
  const svg = await figureSvg(selftestFigure(report), { lang: given.common.lang, theme: 'light', width: 900 });
  const kept = await writeWhole(file, /\.svg$/i.test(file) ? svg : await drawn(given, svg));
  if (!given.common.quiet)
    given.io.err(`${say({ en: 'chart in', zh: '图表保存于' }, given.common.lang)} ${printable(kept)}\n`);
}

function reachOf(proxy: string | null, http2: boolean): Pick<Target, 'reach'> {
  if (proxy === null && !http2) return {};
  return { reach: { ca: null, cert: null, key: null, proxy, also: [], ...(http2 && { http2: true as const }) } };
}

function proxyOrigin(text: string): string {
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url?.protocol === 'http:' && url.username === '' && url.password === '') return url.origin;
  throw new BadValue(
    { en: 'is not the address of an HTTP proxy', zh: '不是 HTTP 代理地址' },
    { en: 'For example --proxy http://127.0.0.1:3128', zh: '例如 --proxy http://127.0.0.1:3128' },
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
