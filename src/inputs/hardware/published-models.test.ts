import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  activeParametersOf,
  kibBytes,
  knownModels,
  kvBytesOf,
  parametersOf,
  readModelConfig,
  weightBytesOf,
} from './index.ts';
import type { ModelShape } from './index.ts';

const folder = new URL('../../../test/fixtures/hardware/', import.meta.url);
const published = (name: string): ModelShape =>
  readModelConfig(JSON.parse(readFileSync(new URL(`${name}.config.json`, folder), 'utf8')));

/** Counts that the authors or the model page state; safetensors counts are exact. */
const stated: Record<string, { billions: number; exact?: number; activeBillions?: number }> = {
  'deepseek-r1': { billions: 671, exact: 671_026_419_200, activeBillions: 36.6 },
  'deepseek-v2.5': { billions: 236, activeBillions: 21 },
  'deepseek-moe-16b': { billions: 16.4, exact: 16_375_728_128 },
  'qwen3-8b': { billions: 8.2, exact: 8_190_735_360 },
  'qwen3-32b': { billions: 32.8, exact: 32_762_123_264 },
  'qwen3-30b-a3b': { billions: 30.5, exact: 30_532_122_624 },
  'llama-3-8b': { billions: 8.03, exact: 8_030_261_248 },
  'llama-3.1-8b': { billions: 8.03 },
  'llama-3.2-3b': { billions: 3.2 },
  'qwen2.5-7b': { billions: 7.62 },
  'qwen2.5-14b': { billions: 14.77 },
  'qwen2.5-32b': { billions: 32.76 },
  'llama-3.3-70b': { billions: 70.6, exact: 70_553_706_496 },
  'qwq-32b': { billions: 32.5, exact: 32_763_876_352 },
  'qwen2-72b': { billions: 72.71, exact: 72_706_203_648 },
  'glm-4-9b-chat': { billions: 9.4, exact: 9_399_951_360 },
  'mixtral-8x7b': { billions: 46.7, exact: 46_702_792_704, activeBillions: 12.9 },
};

describe('parameters counted from published config.json files', () => {
  it('has a stated count for every fixture', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.config.json'));
    expect(files.map((file) => file.replace('.config.json', '')).toSorted()).toEqual(Object.keys(stated).toSorted());
  });

  it.each(Object.entries(stated))('%s comes within 1 %% of what its authors state', (name, said) => {
    const { main } = parametersOf(published(name));
    expect(Math.abs(main / (said.billions * 1e9) - 1)).toBeLessThan(0.01);
    if (said.exact !== undefined) expect(main).toBe(said.exact);
  });

  it.each(Object.entries(stated).filter(([, said]) => said.activeBillions !== undefined))(
    '%s: parameters used per token come within 2 %% of the stated ones',
    (name, said) => {
      const active = activeParametersOf(published(name)) / 1e9;
      expect(Math.abs(active / said.activeBillions! - 1)).toBeLessThan(0.02);
    },
  );

  it('counts the MTP module of DeepSeek-V3 apart: 11.5B own parameters', () => {
    expect(Math.abs(parametersOf(published('deepseek-r1')).mtp / 11.5e9 - 1)).toBeLessThan(0.01);
  });

  it('agrees with every stated count of data/models, to 1 % or to the digits stated', () => {
    const off = knownModels.filter((model) => {
      const { main } = parametersOf(model.shape);
      const near = Math.abs(main / model.statedParameters - 1) < 0.01;
      return !near && Number(main.toPrecision(2)) !== model.statedParameters;
    });
    expect(off.map((model) => model.name)).toEqual([]);
  });
});

describe('weight bytes', () => {
  const one = { tensor: 1, pipeline: 1, data: 1, expert: null };
  const asFiled = { format: null, withMtp: false };

  it('is two bytes a parameter in bfloat16: Llama-3-8B 14.96 GiB, the 15G that du -h shows', () => {
    const { totalBytes, perCardBytes } = weightBytesOf(published('llama-3-8b'), one, asFiled);
    expect(totalBytes).toBe(16_060_522_496);
    expect(perCardBytes).toBe(16_060_522_496);
  });

  it('is close to the 688.6 GB of the DeepSeek-R1 files (fp8 with scales; MTP with its copies of embedding and head)', () => {
    const { totalBytes } = weightBytesOf(published('deepseek-r1'), one, { format: null, withMtp: true });
    const copiesBytes = 2 * 129_280 * 7168 * 2;
    expect(Math.abs((totalBytes + copiesBytes) / 688.6e9 - 1)).toBeLessThan(0.01);
  });

  it('splits over cards without losing any: QwQ-32B on four is a quarter and the norms', () => {
    const four = weightBytesOf(published('qwq-32b'), { ...one, tensor: 4 }, asFiled).perCardBytes;
    const quarter = 65_527_752_704 / 4;
    expect(four).toBeGreaterThan(quarter);
    expect(four / quarter).toBeLessThan(1.0002);
  });

  it('keeps KV matrices whole once there are more cards than KV heads', () => {
    const shape = published('glm-4-9b-chat'); // 2 KV heads
    const kvMatrices = 40 * 2 * 4096 * 2 * 128 * 2;
    const two = weightBytesOf(shape, { ...one, tensor: 2 }, asFiled).perCardBytes;
    const four = weightBytesOf(shape, { ...one, tensor: 4 }, asFiled).perCardBytes;
    expect(four - two / 2).toBeGreaterThanOrEqual(kvMatrices / 4 - 1);
  });
});

describe('KV bytes per token, per card, as on paper', () => {
  const asModel = { format: null, withMtp: false };
  const on = (tensor: number) => ({ tensor, pipeline: 1, data: 1, expert: null });
  const kib = (name: string, tensor: number) =>
    kvBytesOf(published(name), on(tensor), asModel).perTokenPerCard / kibBytes;

  it.each([
    ['llama-3-8b', [128, 64, 32, 16]],
    ['qwen2-72b', [320, 160, 80, 40]],
    ['qwq-32b', [256, 128, 64, 32]],
    ['qwen3-32b', [256, 128, 64, 32]], // head_dim 128, where hidden / heads would say 80
    ['deepseek-r1', [68.625, 68.625, 68.625, 68.625]],
  ])('%s at TP 1, 2, 4, 8', (name, expected) => {
    expect([1, 2, 4, 8].map((tensor) => kib(name, tensor))).toEqual(expected);
  });

  it('stops dividing at one KV head per card', () => {
    expect(kib('llama-3-8b', 16)).toBe(16);
    expect(kib('qwen3-30b-a3b', 8)).toBe(kib('qwen3-30b-a3b', 4));
  });

  it('counts DeepSeek-V3 with MTP 71,424 and with an int8 latent 39,040 bytes', () => {
    const shape = published('deepseek-r1');
    expect(kvBytesOf(shape, on(8), { format: null, withMtp: true }).perToken).toBe(71_424);
    expect(kvBytesOf(shape, on(8), { format: 'int8', withMtp: false }).perToken).toBe(39_040);
  });

  it('adds the indexer of DeepSeek-V3.2: 85,888 bytes', () => {
    const shape = published('deepseek-r1');
    const sparse = { ...shape, latent: { ...shape.latent!, indexHeadDim: 128 } };
    expect(kvBytesOf(sparse, on(1), asModel).perToken).toBe(85_888);
  });

  it('cuts layers over pipeline stages, the largest stage counting', () => {
    const shape = published('deepseek-r1'); // 61 layers
    expect(kvBytesOf(shape, { ...on(1), pipeline: 2 }, asModel).perTokenPerCard).toBe(31 * 1152);
  });
});
