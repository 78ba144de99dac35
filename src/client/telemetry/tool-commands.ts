import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { DeviceTool } from '../../inputs/hardware/index.ts';

/** How a tool is asked: for its cards (cheap enough for every second), and once for what does not change. */
interface ToolCommand {
  sample: readonly string[];
  once: readonly (readonly string[])[];
  /** Where it lies when it is not on the path. */
  folders: readonly string[];
  /** The same cards are shown better by this tool. */
  unless?: DeviceTool;
  env?: Readonly<Record<string, string>>;
  timeoutMs: number;
}

const nvidiaFields =
  'index,uuid,name,pci.bus_id,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw,power.limit';
const rocmFlags = ['--showproductname', '--showuse', '--showmeminfo', 'vram', '--showpower', '--showtemp', '--json'];

const toolCommands: Readonly<Record<DeviceTool, ToolCommand>> = {
  'nvidia-smi': {
    sample: [`--query-gpu=${nvidiaFields}`, '--format=csv'],
    once: [
      ['--query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory', '--format=csv'],
      ['topo', '-m'],
    ],
    folders: ['/usr/lib/wsl/lib'],
    timeoutMs: 5000,
  },
  // One to three seconds a chip.
  'npu-smi': {
    sample: ['info'],
    once: [['info', '-t', 'topo']],
    folders: ['/usr/local/sbin', '/usr/local/Ascend/driver/tools'],
    timeoutMs: 30_000,
  },
  'mx-smi': { sample: [], once: [['topo', '-m']], folders: ['/opt/mxdriver/bin', '/opt/maca/bin'], timeoutMs: 10_000 },
  'amd-smi': {
    sample: ['metric', '--json'],
    once: [],
    folders: ['/opt/rocm/bin'],
    timeoutMs: 10_000,
    unless: 'hy-smi',
  },
  'rocm-smi': { sample: rocmFlags, once: [], folders: ['/opt/rocm/bin'], timeoutMs: 10_000, unless: 'amd-smi' },
  'hl-smi': {
    sample: [
      '-Q',
      'index,bus_id,uuid,name,memory.total,memory.used,power.draw,power.max,temperature.aip,utilization.aip',
      '-f',
      'csv',
    ],
    once: [],
    folders: [],
    env: { HABANA_LOGS: join(tmpdir(), 'llmdyno-habana-logs') },
    timeoutMs: 10_000,
  },
  cnmon: { sample: [], once: [], folders: [], timeoutMs: 10_000 },
  ixsmi: {
    sample: [],
    once: [],
    folders: ['/usr/local/corex/bin'],
    env: { LD_LIBRARY_PATH: '/usr/local/corex/lib64:/usr/local/corex/lib' },
    timeoutMs: 10_000,
  },
  'hy-smi': {
    sample: rocmFlags,
    once: [],
    folders: ['/usr/local/hyhal/bin', '/opt/hyhal/bin', '/opt/dtk/bin'],
    timeoutMs: 10_000,
  },
};

/** A tool that is there to be run. */
export interface FoundTool {
  tool: DeviceTool;
  file: string;
  sample: readonly string[];
  once: readonly (readonly string[])[];
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
}

/** The names of all tools that are looked for. */
export const fileTools = Object.keys(toolCommands) as DeviceTool[];

/** The vendors' tools on this host: on the path or where their drivers put them. Runs nothing. */
export function findTools(env: Readonly<Record<string, string | undefined>>): FoundTool[] {
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = new Map<DeviceTool, FoundTool>();
  for (const tool of fileTools) {
    const { folders, sample, once, timeoutMs, env: own = {} } = toolCommands[tool];
    const file = [...path, ...folders].map((folder) => join(folder, tool)).find(isExecutable);
    if (file !== undefined) found.set(tool, { tool, file, sample, once, timeoutMs, env: { ...env, ...own } });
  }
  return [...found.values()].filter(({ tool }) => {
    const better = toolCommands[tool].unless;
    return better === undefined || !found.has(better);
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
