import type { CleanText } from './clean-lines.ts';
import type { Device } from './device.ts';
import { toldBytes, toldCount, toldName } from './reading.ts';

/** Puts the processes of `nvidia-smi --query-compute-apps=gpu_uuid,pid,… --format=csv` with their cards. */
export function addComputeApps({ lines }: CleanText, devices: readonly Device[]): void {
  let names: string[] | null = null;
  for (const line of lines) {
    const cells = line.split(',').map((cell) => cell.trim());
    const asNames = cells.map((cell) => cell.toLowerCase().replace(/\s*\[.*$/, ''));
    if (asNames.includes('gpu_uuid') && asNames.includes('pid')) {
      names = asNames;
      continue;
    }
    if (names === null || cells.length !== names.length) {
      names = null;
      continue;
    }
    const header = names;
    const text = (...wanted: string[]): string => cells[header.findIndex((name) => wanted.includes(name))] ?? '';
    const owner = devices.find((device) => device.uuid !== null && device.uuid === text('gpu_uuid'));
    owner?.processes.push({
      pid: toldCount(text('pid')) ?? null,
      name: toldName(text('process_name', 'name')),
      memoryBytes: toldBytes(text('used_gpu_memory', 'used_memory'), 'MiB') ?? null,
    });
  }
}
