/**
 * What the machine and the model are, as numbers: accelerators, model shapes, how many parameters and bytes a shape
 * comes to, what one token keeps in the KV cache, and how fast a step could at best be (roofline).
 *
 * Pure: the sheets of data/cards and data/models are bundled in, files and tools are read elsewhere and handed in.
 * Nothing here knows an engine's settings (that is plan) or runs a tool (that is telemetry).
 * Start reading at model-shape.ts (what a config.json means), then kv-bytes.ts and parameter-count.ts;
 * devices/read-devices.ts understands the output of npu-smi, mx-smi, nvidia-smi and others, numa/ that of numactl and lscpu.
 */
export * from './byte-size.ts';
export * from './card.ts';
export { deviceTools } from './devices/device.ts';
export type { Device, DeviceReading, DeviceTool } from './devices/device.ts';
export { readDevices } from './devices/read-devices.ts';
export * from './kv-bytes.ts';
export * from './model-catalogue.ts';
export * from './model-shape.ts';
export { bindingAdvice } from './numa/binding-advice.ts';
export { formatCpuList, parseCpuList } from './numa/cpu-list.ts';
export type { NumaLayout, NumaNode } from './numa/numa-layout.ts';
export { readNuma } from './numa/read-numa.ts';
export * from './number-format.ts';
export * from './parallel.ts';
export * from './parameter-count.ts';
export * from './read-model-config.ts';
export * from './roofline.ts';
export * from './step-cost-prior.ts';
export * from './weight-bytes.ts';
