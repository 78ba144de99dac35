import { describe, expect, it } from 'vitest';
import { cards, cardsLike, findCard, findModel, gibBytes, knownModels, modelsLike } from './index.ts';

describe('cards and models by name', () => {
  it.each([
    ['910B4-32G', '910b4-32g'],
    ['Ascend 910B4', '910b4-32g'],
    ['NVIDIA RTX 4090', 'rtx-4090-24g'],
    ['MXC500', 'mxc500-64g'],
    ['H20', 'h20-sxm-96g'],
    ['310P', '310p-duo-48g'],
  ])('%s is %s', (spelled, name) => {
    expect(findCard(spelled)?.name).toBe(name);
  });

  it.each([
    ['meta-llama/Meta-Llama-3-8B', 'llama-3-8b'],
    ['Qwen2-72B-Instruct', 'qwen2-72b'],
    ['qwq_32b', 'qwq-32b'],
    ['DeepSeek-R1-Distill-Qwen-32B', 'deepseek-r1-distill-qwen-32b'],
  ])('%s is %s', (spelled, name) => {
    expect(findModel(spelled)?.name).toBe(name);
  });

  it('offers what looks alike', () => {
    expect(cardsLike('910b5')).toContain('910b4-32g');
    expect(modelsLike('lama3-8')).toContain('llama-3-8b');
    expect(findModel('no-such-model')).toBeNull();
  });

  it('no name or alias means two things', () => {
    for (const list of [cards, knownModels]) {
      const names = list.flatMap((entry) => [entry.name].concat(entry.aliases));
      expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    }
  });

  it('every sheet names a source and a day', () => {
    for (const { source } of [...cards, ...knownModels]) {
      expect(source.url).toMatch(/^https:\/\//);
      expect(source.date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(source.what.length).toBeGreaterThan(5);
    }
  });

  it('has memory as the vendors’ tools show it: npu-smi 32768 and 65536 MB, mx-smi 65536 MiB', () => {
    expect(findCard('910b4')!.memoryBytes).toBe(32 * gibBytes);
    expect(findCard('910b3')!.memoryBytes).toBe(64 * gibBytes);
    expect(findCard('mxc500')!.memoryBytes).toBe(64 * gibBytes);
  });
});
