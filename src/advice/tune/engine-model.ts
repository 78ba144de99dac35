import type { EngineProfile } from '../../engine/sim/index.ts';
import { memoryOf } from './engine-family.ts';
import type { EngineFamily } from './engine-family.ts';
import type { Settings, TunePoint } from './setting.ts';
import type { SimulatedFigures } from './simulate-point.ts';

/** The simulator calibrated to what was measured so far: to each request where trials kept them, else to their summaries. */
export interface EngineModel {
  /** null = the simulator cannot serve it (a request larger than its cache). */
  predict(point: TunePoint): SimulatedFigures | null;
  /** How far it is from what it was fitted to, as the standard deviation of a logarithm. */
  misfit: number;
  /** How far such a model usually is elsewhere, as the standard deviation of a logarithm. */
  elsewhere: number;
}

/** KV cache as told by arithmetic or by the server; memory is the setting that it belongs to, null = it never changes. */
export interface KnownKv {
  blocks: number;
  blockSize: number;
  memory: number | null;
}

/** The KV cache that a server with these settings has. */
export function kvAt(family: EngineFamily, known: KnownKv, settings: Settings): NonNullable<EngineProfile['kv']> {
  const memory = memoryOf(family, settings);
  const scale = known.memory !== null && memory !== null ? memory / known.memory : 1;
  return { blocks: Math.max(1, Math.floor(known.blocks * scale)), blockSize: known.blockSize };
}
