import { describe, expect, it } from 'vitest';
import type { Finding, Summary } from '../../../core/index.ts';
import { sampleDistribution, samplePoint } from '../../../../test/sample-point.ts';
import { limitInWords } from './limit.ts';

const finding = (code: string, severity: Finding['severity']): Finding => ({
  code,
  severity,
  message: code,
  evidence: {},
  advice: '',
  zh: { message: code, advice: '' },
});

function point(stepMs: number, changes: Partial<Summary> = {}): Summary {
  return samplePoint({
    model: 'qwen2.5-7b',
    asked: { card: 'h200', cards: 1 },
    concurrencyAchieved: 1,
    inputTokensPerSec: 512,
    inputTokens: sampleDistribution({ mean: 512 }),
    outputTokens: sampleDistribution({ mean: 128 }),
    latencyMs: sampleDistribution({ mean: 640 }),
    ttftMs: sampleDistribution({ mean: 25 }),
    itlMs: sampleDistribution({ p50: stepMs }),
    ...changes,
  });
}

const says = (summary: Summary): string => limitInWords(summary)?.en ?? '';

describe('how far from the limit, in one line', () => {
  it('a step far above what reading takes names what is neither weights nor cache, and the front only where nobody looked at it', () => {
    expect(says(point(12))).toMatch(/9\.05 ms of a step are neither weights nor cache; first: the front/);
    expect(says(point(12, { server: { front: { processes: 1 } } }))).toMatch(
      /neither weights nor cache; first: graphs/,
    );
  });

  it('a step near the bandwidth asks for narrower weights or more cards', () => {
    expect(says(point(3.3))).toMatch(/reads memory at 89 %.*narrower weights/);
  });

  it('between the two, nothing is full and more in flight is nearly free', () => {
    expect(says(point(4.9))).toMatch(/Nothing is full/);
  });

  it('prompts that need half of the compute come before the step', () => {
    expect(says(point(4.9, { inputTokensPerSec: 80 * 512 }))).toMatch(/Prompts fill the card/);
  });

  it('a full front hides the card: no share is told', () => {
    const full = point(12, { verdict: { valid: true, findings: [finding('front-bound', 'warn')] } });
    expect(says(full)).toMatch(/--api-server-count/);
    expect(says(full)).not.toMatch(/%/);
  });

  it('a full cache and a full batch are told also where no card is known', () => {
    const server = { running: { mean: 63.9, max: 64 }, waiting: { mean: 5, max: 9 } };
    expect(says(point(5, { asked: {}, server }))).toMatch(/max_num_seqs/);
    const kv = { valid: true, findings: [finding('kv-bound', 'info')] };
    expect(says(point(5, { asked: {}, server, verdict: kv }))).toMatch(/KV cache is full/);
  });

  it('says nothing of a run that is not valid but its shares, and nothing at all where nothing is known', () => {
    const invalid = { valid: false, findings: [finding('client-bound', 'invalid')] };
    expect(says(point(12, { verdict: invalid }))).not.toMatch(/first:/);
    expect(limitInWords(point(5, { asked: {} }))).toBeNull();
  });
});
