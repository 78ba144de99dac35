import { userError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import type { EngineProfile } from './engine-profile.ts';

/** What went wrong in published benchmarks, by name, with what it is. */
export const simFaults = {
  'client-timeout': {
    en: 'the client gives up after 30 s: the slow ones are lost, and the figures are those of the survivors',
    zh: '客户端 30 秒后放弃：慢请求丢失，结果只反映幸存者',
  },
  'stuck-request': {
    en: 'one request gets no answer and holds the clock open until its timeout (120 s at most)',
    zh: '一个请求得不到回答，计时被它拖到超时（至多 120 秒）',
  },
  'runaway-generation': {
    en: 'one answer does not stop: eight times its limit',
    zh: '一个回答停不下来：长度为上限的八倍',
  },
  'decode-starvation': {
    en: 'MindIE’s maxPrefillBatchSize 1 on the MindSpore backend: answers are decoded one after the other',
    zh: 'MindSpore 后端上 MindIE 的 maxPrefillBatchSize 为 1：回答逐个解码',
  },
  'cold-start': {
    en: 'the first steps compile and capture: they take up to sixty times as long',
    zh: '最初的步骤在编译与捕获图：耗时可达平时的六十倍',
  },
} as const satisfies Record<string, Phrase>;

export type SimFaultName = keyof typeof simFaults;
export const simFaultNames = Object.keys(simFaults) as SimFaultName[];

/** A fault; `request` is the number of the request that it strikes, where it strikes one. */
export interface SimFault {
  name: SimFaultName;
  /** Counted from 1 over the engine's life, all points of a sweep together. */
  request: number;
}

const usualRequest = 40;
const strikesOne: ReadonlySet<SimFaultName> = new Set(['stuck-request', 'runaway-generation']);

/** Reads NAME, or NAME:NUMBER for a fault that strikes a single request; null = no fault has that name. */
export function parseSimFault(text: string): SimFault | null {
  const [word = '', number, ...rest] = text.trim().split(':');
  const name = simFaultNames.find((known) => known === word);
  if (name === undefined) return null;
  if (number === undefined) return { name, request: usualRequest };
  if (strikesOne.has(name) && /^[1-9]\d{0,8}$/.test(number) && rest.length === 0) {
    return { name, request: Number(number) };
  }
  throw userError(
    'bad-fault',
    `"${text.slice(0, 80)}" is not ${name}${strikesOne.has(name) ? ', with or without :NUMBER of the request' : ' alone'}`,
    `"${text.slice(0, 80)}" 的写法不对：${name}${strikesOne.has(name) ? '，可加 :请求序号' : '，不带参数'}`,
    'For example stuck-request:100 or cold-start.',
    '例如 stuck-request:100 或 cold-start。',
    '--fault',
  );
}

/** The profile with a fault of the configuration; other faults leave it as it is. */
export function starvedProfile(profile: EngineProfile, injectedFaults: readonly SimFault[]): EngineProfile {
  if (!injectedFaults.some((fault) => fault.name === 'decode-starvation')) return profile;
  const kept = profile.scheduler?.name === 'mindie' ? profile.scheduler.settings : {};
  const settings = { ...kept, maxPrefillBatchSize: 1, backendType: 'ms' };
  return { ...profile, scheduler: { name: 'mindie', settings } };
}

/** The client's timeout where a fault needs one; null = none does. */
export function faultTimeoutMs(injectedFaults: readonly SimFault[]): number | null {
  if (injectedFaults.some((fault) => fault.name === 'client-timeout')) return 30_000;
  return injectedFaults.some((fault) => fault.name === 'stuck-request') ? 120_000 : null;
}

/** Tokens of an answer that does not stop at its limit. */
export function runawayTokens(limit: number): number {
  return Math.min(limit * 8, limit + 8192);
}

const coldest = 60;
const coldSteps = 6;

/** By how much a step of an engine that has just started takes longer, after so many others: the first are much slower. */
export function coldFactor(stepsBefore: number): number {
  return 1 + (coldest - 1) * Math.exp(-stepsBefore / coldSteps);
}
