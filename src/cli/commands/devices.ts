import { cellsOf, exitCodes, printable, say } from '../../core/index.ts';
import type { Lang, Phrase } from '../../core/index.ts';
import { bindingAdvice, deviceTools, formatCpuList, readDevices, readNuma } from '../../inputs/hardware/index.ts';
import type { Device, DeviceTool, NumaLayout } from '../../inputs/hardware/index.ts';
import { tableText } from '../../results/report/index.ts';
import { findTools, hostFiles, readHostDevices, sample } from '../../client/telemetry/index.ts';
import type { HostDevices, TelemetryLine } from '../../client/telemetry/index.ts';
import { capturedText } from '../captured-text.ts';
import { example, jsonText, makeCommand } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { anyText, durationWithin, flag, many, one, oneOf } from '../../lab/index.ts';
import { columnsOf, paddedRows } from '../terminal.ts';

const toolNames = Object.keys(deviceTools) as DeviceTool[];

export const command = makeCommand({
  about: {
    en: 'Read the accelerators of this host, or a captured output of their tools: memory, use, power, temperature, NUMA node.',
    zh: '读取本机加速卡（或捕获的工具输出）：显存、利用率、功耗、温度、NUMA 节点。',
  },
  arguments: [],
  flags: {
    from: many(
      'from FILE',
      anyText,
      'read captured outputs instead of running the tools; may be given more than once',
      '读取捕获的输出，不运行工具；可多次给出',
    ),
    tool: one(
      'tool NAME',
      oneOf(toolNames),
      `only this tool: ${toolNames.join(', ')}`,
      `只用该工具：${toolNames.join('、')}`,
    ),
    watch: flag('watch', 'sample until Ctrl-C', '持续采样，直到 Ctrl-C'),
    intervalMs: one(
      'interval SECONDS',
      durationWithin(100, 3_600_000),
      'with --watch: time between samples (default: 1)',
      '配合 --watch：采样间隔秒数（默认 1）',
    ),
    metrics: one(
      'metrics URL',
      anyText,
      'with --watch: scrape this /metrics page too',
      '配合 --watch：同时抓取该 /metrics 页面',
    ),
    raw: flag('raw', 'show what the tools printed', '显示工具的原始输出'),
  },
  examples: [
    example('dyno devices', 'what is here', '查看本机的卡'),
    example(
      'dyno devices --from npu.txt --json',
      'a colleague’s `npu-smi info > npu.txt`, as JSON',
      '读取同事的 npu-smi info 输出，转为 JSON',
    ),
    example(
      'dyno devices --watch --metrics http://127.0.0.1:8000/metrics',
      'cards and server every second',
      '每秒查看卡与服务器',
    ),
  ],
  async run(given, { tool, from = [], raw = false, ...watched }) {
    if (watched.watch === true) return watch(given, tool, watched.intervalMs ?? 1000, watched.metrics);
    const text = capturedText(from);
    const found = text === null ? await readHostDevices(hostFiles(), given.io.env, tool) : fromText(text, tool);
    given.io.out(given.common.json ? asJson(found, given.common.lang) : asText(found, given, raw));
    return exitCodes.ok;
  },
});

function fromText(text: string, tool: DeviceTool | undefined): HostDevices {
  const numa = readNuma(text);
  const reading = readDevices(text, tool);
  // A file of numactl alone holds no card, and need not.
  const warnings = numa !== null && reading.devices.length === 0 ? [] : reading.warnings;
  return { ...reading, warnings, numa, raw: [] };
}

function asJson(found: HostDevices, lang: Lang): string {
  const advice = found.numa === null ? null : bindingAdvice(found.numa, found.devices);
  const binding = advice && {
    ...advice,
    evidence: say(advice.evidence, lang),
    also: advice.also === null ? null : say(advice.also, lang),
  };
  return jsonText({
    schema: 'llmdyno.devices/1',
    devices: found.devices,
    numa: found.numa === null ? null : shownNuma(found.numa),
    binding,
    layouts: found.layouts,
    warnings: found.warnings.map((warning) => say(warning, lang)),
    raw: found.raw,
  });
}

function shownNuma({ nodes, distances, source }: NumaLayout): Record<string, unknown> {
  return {
    source,
    nodes: nodes.map((node) => ({ ...node, cpus: formatCpuList(node.cpus), cpuCount: node.cpus.length })),
    distances,
  };
}

function asText(found: HostDevices, given: ParsedCommand, raw: boolean): string {
  const { lang } = given.common;
  const parts = [
    ...(found.devices.length > 0 ? [deviceTable(found.devices, lang, columnsOf(given.io))] : []),
    ...(found.numa === null ? [] : [numaText(found.numa, found.devices, lang)]),
    ...found.warnings.map((warning) => `${say({ en: 'note', zh: '提示' }, lang)}: ${printable(say(warning, lang))}\n`),
    ...(raw ? found.raw.map(({ command: line, text }) => `$ ${line}\n${plainText(text)}\n`) : []),
  ];
  return parts.join('');
}

/** Text of a tool, line by line, without anything that could steer the terminal. */
function plainText(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' '))
    .join('\n');
}

const columnNames = {
  card: { en: 'card', zh: '卡' },
  name: { en: 'name', zh: '名称' },
  memory: { en: 'memory', zh: '显存' },
  use: { en: 'in use', zh: '利用率' },
  power: { en: 'power', zh: '功耗' },
  temperature: { en: 'temp', zh: '温度' },
  node: { en: 'NUMA', zh: 'NUMA' },
  processes: { en: 'processes', zh: '进程' },
} as const satisfies Record<string, Phrase>;

function deviceTable(devices: readonly Device[], lang: Lang, columns: number): string {
  const header = Object.values(columnNames).map((name) => say(name, lang));
  const rows = devices.map(deviceRow);
  const text = paddedRows([header, ...rows]);
  const fits = text.split('\n').every((line) => cellsOf(line) <= columns);
  return fits ? text : `${tableText(header, rows, columns)}\n`;
}

function deviceRow(device: Device): string[] {
  const told = (value: number | null, show: (value: number) => string): string => (value === null ? '–' : show(value));
  const gib = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1);
  const memory =
    device.memoryUsedBytes !== null
      ? `${gib(device.memoryUsedBytes)} / ${told(device.memoryTotalBytes, gib)} GiB`
      : `${told(device.memoryUsedRatio, (ratio) => `${Math.round(ratio * 100)} %`)} / ${told(device.memoryTotalBytes, (bytes) => `${gib(bytes)} GiB`)}`;
  return [
    `${device.vendor} ${device.index ?? (device.card === null ? '?' : `${device.card}.${device.chip ?? 0}`)}`,
    printable(device.name ?? '–'),
    memory,
    told(device.utilizationRatio, (ratio) => `${Math.round(ratio * 100)} %`),
    told(device.powerW, (watts) => `${watts} W`),
    told(device.temperatureC, (celsius) => `${celsius} °C`),
    told(device.numaNode, String),
    printable(device.processes.map((process) => `${process.name ?? '?'} (${process.pid ?? '?'})`).join(', ')),
  ];
}

function numaText(numa: NumaLayout, devices: readonly Device[], lang: Lang): string {
  const nodes = numa.nodes.map((node) => `${node.node}: CPU ${formatCpuList(node.cpus) || '–'}`).join('; ');
  const advice = bindingAdvice(numa, devices);
  const tip =
    advice === null
      ? ''
      : `${say({ en: 'binding to try', zh: '可尝试的绑定' }, lang)}: ${advice.command} — ${say(advice.evidence, lang)}\n${advice.also === null ? '' : `${say(advice.also, lang)}\n`}`;
  return `NUMA: ${nodes}\n${tip}`;
}

async function watch(
  { io, common }: ParsedCommand,
  tool: DeviceTool | undefined,
  intervalMs: number,
  metricsUrl: string | undefined,
): Promise<number> {
  const stop = new AbortController();
  const forget = io.onInterrupt(() => stop.abort());
  const startedMs = Number(process.hrtime.bigint()) / 1e6;
  const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6 - startedMs;
  try {
    await sample(
      {
        intervalMs,
        tools: findTools(io.env).filter((found) => tool === undefined || found.tool === tool),
        metricsUrls: metricsUrl === undefined ? [] : [metricsUrl],
        metricsGuessed: false,
        metricsHeaders: {},
        insecure: false,
        files: hostFiles(),
        nowMs,
        emit: (line) => io.out(common.json ? `${JSON.stringify(line)}\n` : shownLine(line, common.lang)),
      },
      stop.signal,
    );
  } finally {
    forget();
  }
  return exitCodes.ok;
}

function shownLine(line: TelemetryLine, lang: Lang): string {
  const at = `${(line.atMs / 1000).toFixed(1)} s`;
  const percent = (ratio: number | null): string => (ratio === null ? '–' : `${Math.round(ratio * 100)} %`);
  switch (line.kind) {
    case 'devices':
      return line.devices
        .map(
          (d) =>
            `${at}  ${d.vendor} ${d.index ?? '?'}  ${percent(d.utilizationRatio)}  ${percent(d.memoryUsedRatio)}  ${d.powerW ?? '–'} W  ${d.temperatureC ?? '–'} °C\n`,
        )
        .join('');
    case 'server':
      return `${at}  ${line.flavour}  running ${line.running ?? '–'}  waiting ${line.waiting ?? '–'}  KV ${percent(line.kvUsageRatio)}\n`;
    case 'host':
      return `${at}  CPU ${line.nodes.map((node) => `node${node.node} ${percent(node.cpuRatio)}`).join('  ')}\n`;
    case 'missing':
      return `${at}  ${printable(say(line.why, lang))}\n`;
    default:
      return '';
  }
}
