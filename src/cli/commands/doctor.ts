import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { exitCodes, printable, say, secretValues } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import { capturedFiles, clientChecks, engineChecks, hostChecks } from '../../advice/doctor/index.ts';
import type { Check, CheckStatus, HostView } from '../../advice/doctor/index.ts';
import { readDevices, readNuma } from '../../inputs/hardware/index.ts';
import { readAddress } from '../../client/protocol/index.ts';
import { hostFiles, readHostDevices } from '../../client/telemetry/index.ts';
import { anyText, many, one, wholeNumber } from '../../lab/index.ts';
import { capturedText } from '../captured-text.ts';
import { coloursFor } from '../colours.ts';
import { argument, example, jsonText, makeCommand } from '../command.ts';
import type { ParsedCommand } from '../command.ts';

export const command = makeCommand({
  about: {
    en: 'Check host, client and engine before measuring; says what it saw and the command that mends it. Changes nothing, needs no root.',
    zh: '测量前检查主机、客户端与引擎，给出依据和修复命令。不做任何修改，不需要 root。',
  },
  arguments: [
    argument('[url]', 'an engine to check too (sends it four short requests)', '同时检查的引擎（会发送四个短请求）'),
  ],
  flags: {
    concurrency: one(
      'concurrency COUNT',
      wholeNumber(1, 999_999),
      'requests in flight that you mean to run (default: 100)',
      '计划的并发数（默认 100）',
    ),
    model: one('model NAME', anyText, 'model that the engine should list', '引擎应列出的模型'),
    keyEnv: one(
      'key-env VARIABLE',
      anyText,
      'environment variable that holds the API key',
      '存放 API 密钥的环境变量名',
    ),
    from: many(
      'from FILE',
      anyText,
      'speak of another host, from its captured outputs (npu-smi info, lscpu, numactl --hardware, head -v /proc/meminfo …); may be given more than once',
      '根据另一台主机的捕获输出（npu-smi info、lscpu、numactl --hardware、head -v /proc/meminfo 等）检查该主机；可多次给出',
    ),
  },
  examples: [
    example('dyno doctor', 'this host and client', '检查本机与客户端'),
    example(
      'dyno doctor --from lscpu.txt --from npu-smi.txt',
      'another host, by its captured outputs',
      '根据捕获的输出检查另一台主机',
    ),
    example(
      'dyno doctor http://127.0.0.1:8000 --concurrency 512',
      'the engine too, for 512 in flight',
      '同时检查引擎，按 512 并发',
    ),
  ],
  async run(given, { concurrency = 100, from = [], model = null, keyEnv }) {
    const captured = capturedText(from);
    const checks = [
      ...hostChecks(await viewOf(given, captured, concurrency)),
      // This machine's client says nothing about a host that was captured elsewhere.
      ...(captured === null ? await ofClient(concurrency) : []),
      ...(await ofEngine(given, model, keyEnv)),
    ];
    given.io.out(given.common.json ? asJson(checks, given) : asText(checks, given));
    return checks.some(({ group, status }) => group === 'engine' && status === 'bad')
      ? exitCodes.unreachable
      : exitCodes.ok;
  },
});

async function viewOf(given: ParsedCommand, captured: string | null, concurrency: number): Promise<HostView> {
  if (captured !== null) {
    const [files, { devices }] = [capturedFiles(captured), readDevices(captured)];
    return { files, devices, numa: readNuma(captured), captured: true, concurrency };
  }
  const files = hostFiles();
  const { devices, numa } = await readHostDevices(files, given.io.env);
  return { files, devices, numa, captured: false, concurrency };
}

const listenForMs = 300;

async function ofClient(concurrency: number): Promise<Check[]> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await new Promise((resolve) => {
    setTimeout(resolve, listenForMs);
  });
  delays.disable();
  // The histogram counts the whole tick; what is above its length is lateness.
  const late = delays.percentile(99) / 1e6 - 5;
  return clientChecks({
    files: hostFiles(),
    concurrency,
    cores: availableParallelism(),
    loopDelayP99Ms: Number.isFinite(late) && delays.count > 0 ? Math.max(0, late) : null,
  });
}

async function ofEngine(given: ParsedCommand, model: string | null, keyEnv: string | undefined): Promise<Check[]> {
  const [url] = given.args;
  if (url === undefined) return [];
  const key = keyEnv === undefined ? undefined : given.io.env[keyEnv];
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  given.io.hide(secretValues(headers, null, [url]));
  return engineChecks(readAddress(url, null), { model, headers });
}

function asJson(checks: readonly Check[], given: ParsedCommand): string {
  const { lang } = given.common;
  const shown = checks.map(({ code, group, status, evidence, fix }) => ({
    code,
    group,
    status,
    evidence: say(evidence, lang),
    fix: fix === null ? null : say(fix, lang),
  }));
  return jsonText({ schema: 'llmdyno.doctor/1', checks: shown });
}

const groups: Readonly<Record<Check['group'], Phrase>> = {
  host: { en: 'host', zh: '主机' },
  client: { en: 'client', zh: '客户端' },
  engine: { en: 'engine', zh: '引擎' },
};

function asText(checks: readonly Check[], given: ParsedCommand): string {
  const { lang } = given.common;
  const paint = coloursFor(given.io, 'out');
  const marks: Readonly<Record<CheckStatus, string>> = {
    ok: paint.green('ok     '),
    warn: paint.yellow('warn   '),
    bad: paint.red('bad    '),
    unknown: paint.dim('unknown'),
  };
  const parts: string[] = [];
  for (const [group, title] of Object.entries(groups)) {
    const mine = checks.filter((check) => check.group === group);
    if (mine.length === 0) continue;
    parts.push(`${paint.bold(say(title, lang))}\n`);
    for (const { code, status, evidence, fix } of mine) {
      parts.push(`  ${marks[status]}  ${code.padEnd(24)}${printable(say(evidence, lang))}\n`);
      if (fix !== null) parts.push(`           ${paint.dim('→')} ${say(fix, lang)}\n`);
    }
  }
  return parts.join('');
}
