import { isObject, mistake, UserError, userError } from '../../core/index.ts';
import { checkMindieConfig } from './check-mindie.ts';
import type { PlanDocument } from './plan-schema.ts';

/** JSON with keys. */
export type JsonObject = { [key: string]: unknown };

/** The part of MindIE's config.json that a plan decides, in its own nesting; a UserError where MindIE would refuse it. */
export function mindiePatch(plan: PlanDocument): JsonObject {
  const { advice, cards, workload } = plan;
  if (cards.pipeline > 1) {
    throw userError(
      'mindie-has-no-pipeline',
      'MindIE has no pipeline parallelism',
      'MindIE 不支持流水线并行',
      'leave --pp out; use --tp and --dp',
      '请去掉 --pp，改用 --tp 与 --dp',
      '--pp',
    );
  }
  const patch = {
    ServerConfig: { maxLinkNum: advice.maxLinkNum },
    BackendConfig: {
      npuDeviceIds: [Array.from({ length: cards.count }, (_, i) => i)],
      ModelDeployConfig: {
        maxSeqLen: advice.maxSeqLen,
        maxInputTokenLen: advice.maxInputTokenLen,
        ModelConfig: [
          {
            worldSize: cards.count,
            cpuMemSize: advice.cpuMemSizeGiB,
            npuMemSize: plan.npuMemSizeGiB,
            ...(cards.data > 1 ? { tp: cards.tensor, dp: cards.data } : {}),
            ...(cards.expert === null ? {} : { moe_ep: cards.expert, moe_tp: cards.count / cards.expert }),
          },
        ],
      },
      ScheduleConfig: {
        cacheBlockSize: workload.blockSize,
        maxPrefillBatchSize: advice.maxPrefillBatchSize,
        maxPrefillTokens: advice.maxPrefillTokens,
        prefillTimeMsPerReq: advice.prefillTimeMsPerReq,
        decodeTimeMsPerReq: advice.decodeTimeMsPerReq,
        maxBatchSize: advice.maxBatchSize,
        maxIterTimes: advice.maxIterTimes,
        maxPreemptCount: advice.maxPreemptCount,
        supportSelectBatch: advice.supportSelectBatch,
      },
    },
  };
  refuseInvalid(patch, plan);
  return patch;
}

/** What the patch leaves to the template is missing from it, and no fault of the plan's. */
const leftToTemplate = new Set(['mindie-missing', 'mindie-section-missing']);

function refuseInvalid(patch: JsonObject, plan: PlanDocument): void {
  const { findings } = checkMindieConfig(patch, { file: 'config.json', mode: null, plan }).verdict;
  const wrong = findings.filter(({ code, severity }) => severity === 'invalid' && !leftToTemplate.has(code));
  if (wrong.length === 0) return;
  throw new UserError(
    wrong.map(({ code, message, advice, zh }) =>
      mistake(
        code,
        `MindIE would not start: ${message}`,
        `MindIE 将拒绝启动：${zh.message}`,
        advice,
        zh.advice,
        '--emit',
      ),
    ),
  );
}

/** A template with a patch laid over it: objects are merged, ModelConfig entry by entry, everything else is replaced. */
export function withPatch(template: unknown, patch: unknown): unknown {
  if (Array.isArray(patch) && Array.isArray(template) && patch.every(isObject) && template.every(isObject)) {
    return template.map((entry, at) => (at < patch.length ? withPatch(entry, patch[at]) : entry));
  }
  if (!isObject(template) || !isObject(patch)) return patch;
  const keys = new Set([...Object.keys(template), ...Object.keys(patch)]);
  // fromEntries defines own properties, so a key named __proto__ stays an ordinary key.
  return Object.fromEntries(
    [...keys].map((key) => {
      if (!Object.hasOwn(patch, key)) return [key, template[key]];
      return [key, Object.hasOwn(template, key) ? withPatch(template[key], patch[key]) : patch[key]];
    }),
  );
}
