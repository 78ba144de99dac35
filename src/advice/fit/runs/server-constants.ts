import type { EngineProfile } from '../../../engine/sim/index.ts';

/** One constant of a simulated server: how it stands in a profile, and what is thought of it before anything is seen. */
export interface ServerConstant {
  name: string;
  /** What it usually is, where a bare step takes `stepMs`. */
  usual(stepMs: number): number;
  /** Standard deviation of its logarithm around that. */
  spread: number;
  put(profile: EngineProfile, value: number): EngineProfile;
}

const inCost =
  (key: 'aMs' | 'cMsPerDecode' | 'kMsPer1000KvTokens' | 'p1MsPerPrefillToken' | 'mMsPerMillionAttention') =>
  (profile: EngineProfile, value: number): EngineProfile => ({ ...profile, cost: { ...profile.cost, [key]: value } });

/** The first sequences of a batch lengthen a step by more than those that follow: kernels for one row give way to those for a tile of rows. */
const firstSequences = 16;

const none = { tokenizeMsPerToken: 0, requestMs: 0, stepMs: 0, tokenMs: 0 };

const inFront =
  (key: 'tokenizeMsPerToken' | 'promptMsPerToken' | 'requestMs' | 'stepMs' | 'tokenMs') =>
  (profile: EngineProfile, value: number): EngineProfile => ({
    ...profile,
    front: { ...(profile.front ?? none), [key]: value },
  });

const ofEngine: readonly ServerConstant[] = [
  { name: 'a', usual: (stepMs) => stepMs, spread: 1, put: inCost('aMs') },
  { name: 'c', usual: (stepMs) => stepMs / 500, spread: 1.5, put: inCost('cMsPerDecode') },
  { name: 'k', usual: (stepMs) => stepMs / 300, spread: 1, put: inCost('kMsPer1000KvTokens') },
  { name: 'p1', usual: (stepMs) => stepMs / 250, spread: 1.5, put: inCost('p1MsPerPrefillToken') },
  { name: 'm', usual: (stepMs) => stepMs / 6, spread: 1, put: inCost('mMsPerMillionAttention') },
  {
    name: 'first',
    usual: (stepMs) => (firstSequences * stepMs) / 500,
    spread: 1,
    put(profile, value) {
      const { cost, maxBatchSize } = profile;
      const decodes = Math.min(firstSequences, Math.ceil(maxBatchSize / 4));
      return { ...profile, cost: { ...cost, decodeCurve: [{ decodes, ms: value }] } };
    },
  },
  {
    name: 'bend',
    usual: (stepMs) => stepMs / 200,
    spread: 0.5,
    put(profile, value) {
      const { cost, maxBatchSize } = profile;
      const decodes = Math.round(maxBatchSize / 2);
      const slope = cost.cMsPerDecode;
      const [first] = cost.decodeCurve!;
      const knot = { decodes, ms: first!.ms + slope * (decodes - first!.decodes) };
      return { ...profile, cost: { ...cost, decodeCurve: [first!, knot], cMsPerDecode: slope + value } };
    },
  },
];

/** vLLM's graphs hold up to so many tokens. */
const graphTokens = 512;

const ofLaunch: readonly ServerConstant[] = [
  {
    name: 'launch',
    usual: () => 20,
    spread: 0.3,
    put: (profile, value) => ({ ...profile, launch: { ms: value, graphTokens } }),
  },
  {
    name: 'graph launch',
    usual: () => 9,
    spread: 0.3,
    put: (profile, value) => ({ ...profile, launch: { ...profile.launch!, graphMs: value } }),
  },
];

const ofFront: readonly ServerConstant[] = [
  { name: 'tokenizer', usual: () => 0.006, spread: 0.5, put: inFront('tokenizeMsPerToken') },
  { name: 'front prompt', usual: () => 0.002, spread: 0.4, put: inFront('promptMsPerToken') },
  { name: 'front request', usual: () => 0.3, spread: 0.4, put: inFront('requestMs') },
  { name: 'front step', usual: () => 0.35, spread: 0.4, put: inFront('stepMs') },
  { name: 'front token', usual: () => 0.052, spread: 0.2, put: inFront('tokenMs') },
];

const overhead: ServerConstant = {
  name: 'overhead',
  usual: () => 1.8,
  spread: 0.4,
  put: (profile, value) => ({ ...profile, overheadMs: value }),
};

/** The constants of the parts that a server has. */
export function constantsOf(has: { hasFront: boolean; ahead: boolean }): ServerConstant[] {
  return [...ofEngine, ...(has.ahead ? ofLaunch : []), ...(has.hasFront ? ofFront : []), overhead];
}
