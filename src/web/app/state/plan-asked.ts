import type { PlanAsked } from '../../../advice/plan/index.ts';

/** The question of a plan as it stands in an address; what is not said stands for the example of the tutorial. */
export const planFields = {
  modelName: { name: 'model', flag: 'model', usual: 'llama-3-8b' },
  cardName: { name: 'card', flag: 'card', usual: '910b4-32g' },
  cards: { name: 'cards', flag: 'cards', usual: 2, least: 1, most: 64 },
  inputTokens: { name: 'input', flag: 'input-tokens', usual: 186, least: 1, most: 32_768 },
  outputTokens: { name: 'output', flag: 'output-tokens', usual: 346, least: 1, most: 8192 },
  maxInputTokens: { name: 'max-input', flag: 'max-input-tokens', usual: 2048, least: 1, most: 131_072 },
  maxOutputTokens: { name: 'max-output', flag: 'max-output-tokens', usual: 512, least: 1, most: 32_768 },
  blockSize: { name: 'block', flag: 'block-size', usual: 128, least: 1, most: 256 },
  memoryFraction: { name: 'fraction', flag: 'memory-fraction', usual: 0.8, least: 0.1, most: 1, step: 0.01 },
  weightFormat: { name: 'weights', flag: 'weight-dtype', usual: '' },
  kvFormat: { name: 'kv', flag: 'kv-dtype', usual: '' },
} as const satisfies Partial<
  Record<
    keyof PlanAsked,
    { name: string; flag: string; usual: string | number; least?: number; most?: number; step?: number }
  >
>;

export type PlanField = keyof typeof planFields;

/** Reads the question out of an address. */
export function askedOf(query: URLSearchParams): PlanAsked {
  const asked: Record<string, string | number> = {};
  for (const [key, field] of Object.entries(planFields)) {
    const text = query.get(field.name);
    const value = text === null ? field.usual : typeof field.usual === 'number' ? Number(text) : text;
    if (value !== '') asked[key] = value;
  }
  return asked as PlanAsked;
}
