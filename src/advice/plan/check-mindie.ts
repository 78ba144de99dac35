import { isObject, UserError, userError, verdictOf } from '../../core/index.ts';
import type { Place } from '../../core/index.ts';
import { findingOf, findingsBy, info } from './check-finding.ts';
import type { Remark } from './check-finding.ts';
import { checkSection } from './check-mindie-fields.ts';
import { crossFieldRules } from './check-mindie-rules.ts';
import type { MindieFacts } from './check-mindie-rules.ts';
import { traps } from './check-mindie-traps.ts';
import type { MindieSection } from './mindie-fields.ts';
import type { PlanCheck, PlanDocument } from './plan-schema.ts';

/** What is known of a config file besides what it says. */
export interface ConfigFacts {
  file: string;
  /** Unix permission bits; null = not known. */
  mode: number | null;
  /** A plan for the model and cards it serves; null = none was given. */
  plan: PlanDocument | null;
}

/** Everything wrong, risky or slow about a MindIE config.json. A UserError where it is not one at all. */
export function checkMindieConfig(json: unknown, facts: ConfigFacts): PlanCheck {
  if (!isObject(json)) throw notMindie({ file: facts.file });
  if (Object.hasOwn(json, 'OtherParam') || Object.hasOwn(json, 'ModelDeployParam'))
    throw userError(
      'mindie-config-too-old',
      'this is a config.json of MindIE 1.0.RC1 or RC2, which has another layout',
      '这是 MindIE 1.0.RC1/RC2 的 config.json，结构不同',
      'checks cover 1.0.RC3 and later',
      '检查支持 1.0.RC3 及以后的版本',
      { file: facts.file },
    );
  if (!Object.hasOwn(json, 'BackendConfig') && !Object.hasOwn(json, 'ServerConfig'))
    throw notMindie({ file: facts.file });
  const { file, remarks } = sectionsOf(json);
  const findings = [
    ...remarks.map(findingOf),
    ...findingsBy([...crossFieldRules, ...traps], { ...file, plan: facts.plan }),
    ...findingsBy([readableByOthers], facts.mode),
  ];
  return { schema: 'llmdyno.plan-check/1', file: facts.file, verdict: verdictOf(findings) };
}

function sectionsOf(json: Record<string, unknown>): { file: Omit<MindieFacts, 'plan'>; remarks: Remark[] } {
  const remarks: Remark[] = checkSection('', json);
  const take = (section: MindieSection, value: unknown, required: boolean): Readonly<Record<string, unknown>> => {
    if (isObject(value)) {
      remarks.push(...checkSection(section, value));
      return value;
    }
    if (required || value !== undefined) remarks.push(sectionMissing(section));
    return {};
  };
  const server = take('ServerConfig', json['ServerConfig'], true);
  const backend = take('BackendConfig', json['BackendConfig'], true);
  const deploy = take('ModelDeployConfig', backend['ModelDeployConfig'], true);
  const models = deploy['ModelConfig'];
  const model = take('ModelConfig', Array.isArray(models) ? models[0] : models, true);
  const schedule = take('ScheduleConfig', backend['ScheduleConfig'], true);
  const log = take('LogConfig', json['LogConfig'], false);
  if (Array.isArray(models) && models.length > 1) remarks.push(oneModelOnly(models.length));
  return { file: { server, backend, deploy, model, schedule, log }, remarks };
}

function sectionMissing(section: string): Remark {
  return {
    code: 'mindie-section-missing',
    severity: 'invalid',
    field: section,
    en: ['is missing or not an object', 'take it from the config.json that MindIE ships'],
    zh: ['缺失或不是对象', '可参照 MindIE 自带的 config.json'],
  };
}

function oneModelOnly(count: number): Remark {
  return {
    code: 'one-model-only',
    severity: 'invalid',
    field: 'ModelConfig',
    evidence: { count },
    en: [`holds ${count} models`, 'templateType Standard serves exactly one'],
    zh: [`含 ${count} 个模型`, 'templateType 为 Standard 时只能有一个'],
  };
}

const readableByOthers = info('file-mode', 'config.json', (mode: number | null) => {
  if (mode === null || (mode & 0o137) === 0) return null;
  return {
    evidence: { mode: mode.toString(8) },
    en: [`has permissions ${mode.toString(8)}`, 'MindIE refuses files wider than 640: chmod 640'],
    zh: [`权限为 ${mode.toString(8)}`, 'MindIE 拒绝宽于 640 的文件：chmod 640'],
  };
});

function notMindie(place: Place): UserError {
  return userError(
    'not-a-mindie-config',
    'this is not a MindIE config.json (no ServerConfig or BackendConfig)',
    '这不是 MindIE 的 config.json（没有 ServerConfig 或 BackendConfig）',
    'it lies at mindie-service/conf/config.json (mindie_llm/conf in 3.x); a model’s config.json goes to --model-config',
    '该文件位于 mindie-service/conf/config.json（3.x 为 mindie_llm/conf）；模型的 config.json 请用 --model-config',
    place,
  );
}
