import type { Phrase } from '../../core/index.ts';
import { readDevices } from '../../inputs/hardware/index.ts';
import type { DeviceReading, DeviceTool, NumaLayout } from '../../inputs/hardware/index.ts';
import type { HostFiles } from './host-files.ts';
import { numaOfHost } from './numa-of-host.ts';
import { runTool } from './run-tool.ts';
import type { ToolRun } from './run-tool.ts';
import { findTools } from './tool-commands.ts';
import type { FoundTool } from './tool-commands.ts';

/** The accelerators of this host, its NUMA layout, and what the tools printed. */
export interface HostDevices extends DeviceReading {
  numa: NumaLayout | null;
  raw: { tool: DeviceTool; command: string; text: string }[];
}

/** Asks every vendor's tool that is on this host, one after the other; what a tool cannot say is a warning. */
export async function readHostDevices(
  files: HostFiles,
  env: Readonly<Record<string, string | undefined>>,
  only?: DeviceTool,
): Promise<HostDevices> {
  const found: HostDevices = { devices: [], layouts: [], warnings: [], raw: [], numa: numaOfHost(files) };
  const tools = findTools(env).filter(({ tool }) => only === undefined || tool === only);
  for (const tool of tools) await readTool(tool, found);
  if (tools.length === 0) found.warnings.push(noTool(only));
  for (const device of found.devices) {
    const node = device.busId === null ? null : files.read(`/sys/bus/pci/devices/${device.busId}/numa_node`);
    if (device.numaNode === null && node !== null && /^\d+\s*$/.test(node)) device.numaNode = Number(node);
  }
  return found;
}

async function readTool(tool: FoundTool, found: HostDevices): Promise<void> {
  const texts: string[] = [];
  for (const args of [tool.sample, ...tool.once]) {
    const run = await runTool(tool.file, args, { timeoutMs: tool.timeoutMs, env: tool.env });
    const command = [tool.tool, ...args].join(' ');
    found.raw.push({ tool: tool.tool, command, text: run.out.slice(0, 200_000) });
    if (run.outcome === 'ok') texts.push(run.out);
    else if (args === tool.sample) found.warnings.push(whyFailed(tool.tool, run));
  }
  if (texts.length === 0) return;
  const reading = readDevices(texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('\n'), tool.tool);
  found.devices.push(...reading.devices);
  found.layouts.push(...reading.layouts);
  found.warnings.push(...reading.warnings);
}

/** Why a tool gave nothing, in words. */
export function whyFailed(tool: string, run: Pick<ToolRun, 'outcome' | 'code' | 'out' | 'err'>): Phrase {
  const said = (run.err.trim() || run.out.trim())
    .split('\n')[0]!
    .replaceAll(/[\p{Cc}]+/gu, ' ')
    .slice(0, 160);
  const words = said === '' ? '' : `: ${said}`;
  if (run.outcome === 'timeout')
    return { en: `${tool} did not answer in time and was ended`, zh: `${tool} 超时未响应，已终止` };
  if (run.outcome === 'missing') return { en: `${tool} is gone`, zh: `${tool} 已不存在` };
  if (run.outcome === 'too-long')
    return { en: `${tool} printed more than can be read`, zh: `${tool} 输出过长，无法读取` };
  const root = /permission|denied|root|privilege|administrator/i.test(said);
  return root
    ? { en: `${tool} wants more rights than this user has${words}`, zh: `${tool} 需要更高权限${words}` }
    : {
        en: `${tool} failed with exit code ${run.code ?? '?'}${words}`,
        zh: `${tool} 执行失败，退出码 ${run.code ?? '?'}${words}`,
      };
}

function noTool(only: DeviceTool | undefined): Phrase {
  return {
    en: only === undefined ? 'no device tool is on this host' : `${only} is not on this host`,
    zh: only === undefined ? '本机没有设备工具' : `本机没有 ${only}`,
  };
}
