import { userError } from '../../core/index.ts';
import type { RunPlan, UserError } from '../../core/index.ts';
import type { WorkerInputs } from '../../client/cluster/index.ts';
import { openDataset } from '../../inputs/dataset/index.ts';
import { keyAsAsked, readAddress } from '../../client/protocol/index.ts';
import { isSecretHeader, splitHeaders, variableOf } from '../prepare/assemble-plan.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import type { PromptSource } from '../prepare/prompt-source.ts';
import type { World } from '../world.ts';

/** What a worker makes its prompts and secrets from. Secrets are named, never told: each worker has its own. */
export interface WorkerSource {
  prompts: PromptSource;
  /** The dataset as the controller found it. */
  dataset: Pick<RunPlan['dataset'], 'name' | 'hash'>;
  target: Pick<RunPlan['target'], 'url' | 'api' | 'keyEnv'>;
  /** Header name → environment variable. */
  headerEnv: Readonly<Record<string, string>>;
}

/** The source of a plan for machines elsewhere; a secret that was typed cannot go there. */
export function workerSource(settings: PlanSettings, plan: RunPlan, prompts: PromptSource): WorkerSource {
  const headerEnv: Record<string, string> = {};
  for (const { name, value } of settings.header ?? []) {
    const variable = variableOf(value);
    if (variable !== undefined) headerEnv[name] = variable;
    else if (isSecretHeader({ name, value }))
      throw userError(
        'secret-for-workers',
        `the value of ${name} may be a secret and is not sent to workers`,
        `${name} 的值可能是密钥，不会发送给 worker`,
        `Write --header '${name}: env:VARIABLE' and set the variable on every worker.`,
        `请写 --header '${name}: env:变量名'，并在每个 worker 上设置该变量。`,
        '--header',
      );
  }
  const { url, api, keyEnv } = plan.target;
  const { name, hash } = plan.dataset;
  return { prompts, dataset: { name, hash }, target: { url, api, keyEnv }, headerEnv };
}

/** Opens the dataset again and looks up the secrets in this machine's environment. */
export async function equipWorker(source: WorkerSource, env: World['env']): Promise<WorkerInputs> {
  const { prompts, target, headerEnv } = source;
  const header = Object.entries(headerEnv).map(([name, variable]) => ({ name, value: `env:${variable}` }));
  const settings: PlanSettings = { header, ...(target.keyEnv !== null && { keyEnv: target.keyEnv }) };
  const { secrets } = splitHeaders(settings, env);
  const dataset = await openDataset(prompts.spec, prompts.options);
  const { hash } = dataset.facts({ offset: 0, count: null });
  if (hash !== source.dataset.hash) throw otherDataset(source.dataset.name);
  return {
    secrets: keyAsAsked(readAddress(target.url, target.api, null), secrets, target.keyEnv !== null),
    workload: (phase) => dataset.workload(prompts.offsets[phase]),
  };
}

function otherDataset(name: string): UserError {
  return userError(
    'other-dataset',
    `the file ${name} on a worker is not the one that the run was planned with`,
    `worker 上的文件 ${name} 与计划所用的不同`,
    'Put the same file at the same path on every worker.',
    '请在每个 worker 的相同路径放置相同文件。',
    '--dataset',
  );
}
