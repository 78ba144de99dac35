import { jsonIn } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import { invalid } from './check-finding.ts';
import type { Rule } from './check-finding.ts';
import type { PlanDocument } from './plan-schema.ts';

/** The sections of a file, each a plain object (empty where it is missing), and the plan for the model and cards it serves, where there is one. */
export interface MindieFacts {
  server: Readonly<Record<string, unknown>>;
  backend: Readonly<Record<string, unknown>>;
  deploy: Readonly<Record<string, unknown>>;
  model: Readonly<Record<string, unknown>>;
  schedule: Readonly<Record<string, unknown>>;
  log: Readonly<Record<string, unknown>>;
  plan: PlanDocument | null;
}

/** The whole number in a field; null = it has none. */
export const whole = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) ? value : null;

type Section = Exclude<keyof MindieFacts, 'plan'>;

/** A rule that one number must not be above another. */
function atMost(
  code: string,
  low: readonly [Section, string],
  high: readonly [Section, string],
  why: Phrase,
): Rule<MindieFacts> {
  return invalid(code, low[1], (file) => {
    const [a, b] = [whole(file[low[0]][low[1]]), whole(file[high[0]][high[1]])];
    if (a === null || b === null || a <= b) return null;
    return {
      evidence: { value: a, limit: b, limitField: high[1] },
      en: [`${a} is more than ${high[1]} (${b})`, why.en],
      zh: [`${a} 大于 ${high[1]}（${b}）`, why.zh],
    };
  });
}

/** Rules between fields that the server enforces or silently bends. */
export const crossFieldRules: readonly Rule<MindieFacts>[] = [
  atMost('prefill-batch-above-batch', ['schedule', 'maxPrefillBatchSize'], ['schedule', 'maxBatchSize'], {
    en: 'a prefill batch cannot hold more requests than a batch; use half, or 0 for the same',
    zh: 'prefill 批不能大于 maxBatchSize；建议取一半，或设 0 表示相同',
  }),
  atMost('input-above-prefill-tokens', ['deploy', 'maxInputTokenLen'], ['schedule', 'maxPrefillTokens'], {
    en: 'maxPrefillTokens must be at least maxInputTokenLen, or the longest prompt can never be scheduled',
    zh: 'maxPrefillTokens 不得小于 maxInputTokenLen，否则最长的输入永远无法调度',
  }),
  atMost('iterations-above-sequence', ['schedule', 'maxIterTimes'], ['deploy', 'maxSeqLen'], {
    en: 'no answer can be longer than the whole sequence',
    zh: '输出不可能长于整个序列',
  }),
  atMost('preempt-above-batch', ['schedule', 'maxPreemptCount'], ['schedule', 'maxBatchSize'], {
    en: 'at most a whole batch can be preempted',
    zh: '最多抢占一整批',
  }),
  atMost('n-above-batch', ['schedule', 'maxN'], ['schedule', 'maxBatchSize'], {
    en: 'n sequences of one request must fit into a batch',
    zh: '单请求的 n 条序列必须能放进一批',
  }),
  atMost('chunk-above-prefill-tokens', ['schedule', 'prefillChunkSize'], ['schedule', 'maxPrefillTokens'], {
    en: 'a chunk is part of a prefill',
    zh: '分块是一次 prefill 的一部分',
  }),
  atMost(
    'long-partials-above-partials',
    ['schedule', 'maxLongPartialPrefills'],
    ['schedule', 'maxNumPartialPrefills'],
    {
      en: 'long partial prefills are some of all partial prefills',
      zh: '长分块数不能超过总分块数',
    },
  ),
  invalid('world-size-is-not-devices', 'worldSize', ({ backend, model }) => {
    const ids = backend['npuDeviceIds'];
    const world = whole(model['worldSize']);
    if (!Array.isArray(ids) || backend['multiNodesInferEnabled'] === true || world === null) return null;
    const first: unknown = ids[0];
    const count = Array.isArray(first) ? first.length : ids.length;
    if (count === world) return null;
    return {
      evidence: { worldSize: world, devices: count },
      en: [`${world}, but npuDeviceIds names ${count} cards`, 'they must be equal on one node'],
      zh: [`${world}，但 npuDeviceIds 有 ${count} 张卡`, '单机时两者必须相等'],
    };
  }),
  invalid('device-ids-wrong', 'npuDeviceIds', ({ backend }) => {
    const ids = backend['npuDeviceIds'];
    const flat: unknown[] = Array.isArray(ids) ? ids.flat() : [];
    if (new Set(flat).size === flat.length && flat.every((id) => whole(id) !== null && (id as number) >= 0))
      return null;
    return {
      en: ['must be different whole numbers from 0', 'use the logic ids of npu-smi info -m, each once'],
      zh: ['必须是从 0 开始且不重复的整数', '请使用 npu-smi info -m 的 Logic ID，每个只写一次'],
    };
  }),
  invalid('swap-without-host-memory', 'cpuMemSize', ({ schedule, model }) => {
    const preempts = whole(schedule['maxPreemptCount']) ?? 0;
    if (preempts === 0 || (whole(model['cpuMemSize']) ?? 0) > 0) return null;
    return {
      evidence: { maxPreemptCount: preempts },
      en: [`must be above 0 when maxPreemptCount is ${preempts}`, 'give 5 (up to 40), or set maxPreemptCount to 0'],
      zh: [`maxPreemptCount 为 ${preempts} 时必须大于 0`, '可设为 5（至 40），或把 maxPreemptCount 设为 0'],
    };
  }),
  invalid('tp-dp-is-not-world-size', 'tp', ({ model }) => {
    const [tp, dp, world] = [whole(model['tp']), whole(model['dp']), whole(model['worldSize'])];
    if (tp === null || world === null || tp < 1 || tp * Math.max(1, dp ?? 1) === world) return null;
    return {
      evidence: { tp, dp, worldSize: world },
      en: [`tp ${tp} × dp ${dp ?? 1} is not worldSize ${world}`, 'make tp × dp equal worldSize'],
      zh: [`tp ${tp} × dp ${dp ?? 1} 不等于 worldSize ${world}`, '请使 tp × dp 等于 worldSize'],
    };
  }),
  invalid('mix-without-splitfuse', 'templateType', ({ schedule, model }) => {
    const plugins =
      typeof model['plugin_params'] === 'string'
        ? model['plugin_params']
        : JSON.stringify(model['plugin_params'] ?? '');
    if (schedule['templateType'] !== 'Mix' || /splitfuse/i.test(plugins)) return null;
    return {
      en: [
        'Mix needs the splitfuse plugin',
        'set plugin_params to {"plugin_type":"splitfuse"}, or templateType to Standard',
      ],
      zh: ['Mix 需要 splitfuse 插件', '请在 plugin_params 中启用 splitfuse，或将 templateType 设为 Standard'],
    };
  }),
  invalid('plugin-params-not-json', 'plugin_params', ({ model }) => {
    const plugins = model['plugin_params'];
    if (typeof plugins !== 'string' || plugins === '' || jsonIn(plugins) !== undefined) return null;
    return {
      en: ['is not JSON inside its quotes', 'write it as a text with escaped quotes: "{\\"plugin_type\\":\\"mtp\\"}"'],
      zh: ['引号内不是合法 JSON', '应写成带转义引号的字符串："{\\"plugin_type\\":\\"mtp\\"}"'],
    };
  }),
  invalid('ports-collide', 'managementPort', ({ server }) => {
    const [port, management] = [server['port'], server['managementPort']];
    const sameHost = (server['ipAddress'] ?? '127.0.0.1') === (server['managementIpAddress'] ?? '127.0.0.2');
    if (!sameHost || port === undefined || port !== management) return null;
    return {
      en: ['is the same as port on the same address', 'use another, 1026 by default'],
      zh: ['与 port 相同且地址相同', '请换一个，默认 1026'],
    };
  }),
  invalid('any-address-not-allowed', 'allowAllZeroIpListening', ({ server }) => {
    if (server['ipAddress'] !== '0.0.0.0' || server['allowAllZeroIpListening'] === true) return null;
    return {
      en: ['must be true to listen on 0.0.0.0', 'set it, or name the address of one interface'],
      zh: ['监听 0.0.0.0 时必须为 true', '请设为 true，或写具体网卡地址'],
    };
  }),
];
