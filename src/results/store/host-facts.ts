import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import type { HostFacts } from './schema/index.ts';

/** The machine we run on, without anything that names it. */
export function hostFacts(): HostFacts {
  return {
    os: `${platform()} ${release()}`,
    arch: arch(),
    cpu: cpus()[0]?.model.trim() ?? null,
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  };
}
