import deepseek from '../../../data/models/deepseek.json' with { type: 'json' };
import llama from '../../../data/models/llama.json' with { type: 'json' };
import others from '../../../data/models/others.json' with { type: 'json' };
import qwen from '../../../data/models/qwen.json' with { type: 'json' };
import type { ModelShape } from './model-shape.ts';
import { nameKey, nearestNames } from './name-search.ts';
import { readModelConfig } from './read-model-config.ts';
import type { Source } from './source.ts';

/** One model of data/models: what its authors say of it, and its published config values. */
export interface KnownModel {
  /** Lower case, without the owner: qwen2-72b. */
  name: string;
  aliases: readonly string[];
  huggingFace: string;
  /** As its authors state it; MTP modules apart. */
  statedParameters: number;
  statedActiveParameters: number | null;
  statedIn: string;
  source: Source;
  note: string | null;
  shape: ModelShape;
}

type ModelSheet = Omit<KnownModel, 'shape' | 'note'> & { note?: string; config: unknown };

function modelOf(sheet: ModelSheet): KnownModel {
  const { config, note, ...rest } = sheet;
  return { ...rest, note: note ?? null, shape: readModelConfig(config, { file: `data/models (${sheet.name})` }) };
}

/** Every model of data/models. */
export const knownModels: readonly KnownModel[] = [llama, qwen, deepseek, others].flatMap((sheets) =>
  (sheets as unknown as ModelSheet[]).map(modelOf),
);

/** The model of that name or alias, however spelled (case, owner, underscores); null = none. */
export function findModel(name: string): KnownModel | null {
  const key = nameKey(name);
  return knownModels.find((model) => [model.name, ...model.aliases].some((known) => nameKey(known) === key)) ?? null;
}

/** Names that look like the one asked for, for the hint of a mistake. */
export function modelsLike(name: string): string[] {
  return nearestNames(
    name,
    knownModels.map((model) => model.name),
  );
}
