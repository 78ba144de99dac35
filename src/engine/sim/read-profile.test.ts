import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { findModel, kvBytesOf } from '../../inputs/hardware/index.ts';
import { builtinProfile, builtinProfiles, defaultProfileName, readProfile } from './index.ts';

function mistakesOf(act: () => unknown): UserError['mistakes'] {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the profiles that ship', () => {
  it('keep as many bytes of KV for a token on a card as the model has by the formula of src/inputs/hardware', () => {
    for (const { name, model, kvBytesPerTokenPerCard } of builtinProfiles.values()) {
      const cards = Number(/-(\d+)x[^-]+$/.exec(name)?.[1] ?? 1);
      const known = findModel(model);
      if (known === null) throw new Error(`${model} is not in the catalogue`);
      const parallel = { tensor: cards, pipeline: 1, data: 1, expert: null };
      const { perTokenPerCard } = kvBytesOf(known.shape, parallel, { format: null, withMtp: false });
      expect({ name, kvBytesPerTokenPerCard }).toEqual({ name, kvBytesPerTokenPerCard: perTokenPerCard });
    }
  });

  it('are whole, dated and sourced, and named after their model, engine and cards', () => {
    expect([...builtinProfiles.keys()]).toEqual([
      'qwen1.5-7b-mindie-8x910b4',
      'qwen1.5-14b-mindie-8x910b4',
      'qwen2-72b-mindie-8x910b4',
      'qwq-32b-mindie-atb-4x910b3',
      'qwq-32b-mindie-mindspore-4x910b3',
      'qwen2.5-72b-vllm-4xmxc500',
      'sus-chat-34b-vllm-4xv100',
      'sus-chat-34b-vllm-4xa100',
      'llama-3-8b-vllm-rtx4090',
    ]);
    for (const profile of builtinProfiles.values()) {
      expect(profile.date).toMatch(/^20\d\d(-\d\d){0,2}$/);
      expect(profile.source.length).toBeGreaterThan(20);
      expect(profile.fit?.fittedTo.length).toBeGreaterThan(10);
      expect(profile.notes.join(' ')).toMatch(/assumed/i);
    }
    expect(builtinProfile(defaultProfileName).cost).toMatchObject({ aMs: 12.57, cMsPerDecode: 0.0963 });
  });

  it('are listed when a name is not among them', () => {
    const [mistake] = mistakesOf(() => builtinProfile('gpt-9'));
    expect(mistake).toMatchObject({ code: 'unknown-profile', place: { flag: '--profile' } });
    expect(mistake!.hint.en).toContain('llama-3-8b-vllm-rtx4090');
    expect(mistake!.hint.zh).toContain('llama-3-8b-vllm-rtx4090');
  });
});

describe('readProfile', () => {
  const good = { ...builtinProfile(defaultProfileName) };

  it('reports every wrong field at once, by name', () => {
    const bad = {
      ...good,
      title: '',
      cost: { ...good.cost, aMs: -1 },
      maxBatchSize: 1.5,
      kv: { blocks: 'many', blockSize: 16 },
    };
    const fields = mistakesOf(() => readProfile(bad, 'mine.json')).map((m) => m.place);
    expect(fields).toEqual(
      ['title', 'cost.aMs', 'maxBatchSize', 'kv.blocks'].map((field) => ({ field, file: 'mine.json' })),
    );
  });

  it('keeps every part of the cost that is said, and none that is not', () => {
    const cost = {
      aMs: 10,
      cMsPerDecode: 1,
      p1MsPerPrefillToken: 0.5,
      kMsPer1000KvTokens: 0.1,
      rMsPerPrompt: 7,
      mMsPerMillionAttention: 0.2,
      decodeCurve: [{ decodes: 4, ms: 2 }],
    };
    expect(readProfile({ ...good, cost }).cost).toEqual(cost);
    const { rMsPerPrompt: _r, mMsPerMillionAttention: _m, decodeCurve: _d, ...plain } = cost;
    expect(readProfile({ ...good, cost: plain }).cost).toEqual(plain);
  });

  it('takes a profile without KV limit and without prefill limit', () => {
    expect(readProfile({ ...good, kv: null, maxPrefillTokens: null })).toMatchObject({
      kv: null,
      maxPrefillTokens: null,
    });
  });

  it.each([null, 3, 'x', [], {}])('refuses %j', (value) => {
    expect(mistakesOf(() => readProfile(value)).length).toBeGreaterThan(0);
  });
});
