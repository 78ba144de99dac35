import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { userError } from '../../core/index.ts';
import type { RunPlan, UserError } from '../../core/index.ts';
import { opensNoFile } from '../../inputs/dataset/index.ts';
import type { PromptSource } from '../prepare/prompt-source.ts';
import type { WorkerSource } from './worker-source.ts';

/** What runs may do with this worker, whoever writes into its queue; an empty list = anything. */
export interface WorkerRules {
  /** Addresses that may be asked, with everything below their path. */
  urls: readonly string[];
  /** Environment variables that may be put into headers. */
  envs: readonly string[];
  /** Files, and folders with all in them, that prompts and certificates may be read from. */
  files: readonly string[];
}

/** Refuses a run that would have this worker do what it was not lent for. */
export function checkRules(rules: WorkerRules, target: RunPlan['target'], source: WorkerSource): void {
  const { reach } = target;
  const asked = [source.target.url, target.url, ...(reach?.also ?? []), ...(reach?.proxy == null ? [] : [reach.proxy])];
  for (const url of asked) if (!isAllowedUrl(rules.urls, url)) throw refused('--allow-url', url);
  const names = [source.target.keyEnv, ...Object.values(source.headerEnv)].filter((name) => name !== null);
  for (const name of names)
    // DYNO_ variables are the worker's own, for Redis alone.
    if (name.startsWith('DYNO_') || (rules.envs.length > 0 && !rules.envs.includes(name)))
      throw refused('--allow-env', name);
  checkFiles(rules, source.prompts);
  for (const file of [reach?.ca, reach?.cert, reach?.key])
    if (file != null && !isAllowedFile(rules.files, file)) throw refused('--allow-file', file);
}

/** Refuses prompts from a file that this worker was not lent for. */
export function checkFiles({ files }: Pick<WorkerRules, 'files'>, { spec, options }: PromptSource): void {
  const paths = [
    ...(spec === undefined || opensNoFile(spec) ? [] : [spec.replace(/^[a-z0-9-]+:/, '')]),
    ...(options.tokenizer === undefined ? [] : [options.tokenizer]),
  ];
  for (const path of paths) if (!isAllowedFile(files, path)) throw refused('--allow-file', path);
}

function isAllowedUrl(allowed: readonly string[], text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  if (allowed.length === 0) return true;
  return allowed.some((one) => {
    const { origin, pathname } = new URL(one);
    const below = pathname.endsWith('/') ? pathname : `${pathname}/`;
    return url.origin === origin && `${url.pathname}/`.startsWith(below);
  });
}

function isAllowedFile(allowed: readonly string[], path: string): boolean {
  if (allowed.length === 0) return true;
  const real = (one: string): string | null => {
    try {
      return realpathSync(resolve(one));
    } catch {
      return null;
    }
  };
  const asked = real(path);
  return (
    asked !== null && allowed.map(real).some((one) => one !== null && (asked === one || asked.startsWith(one + sep)))
  );
}

function refused(flag: string, what: string): UserError {
  const shown = what.slice(0, 200);
  return userError(
    'worker-refuses',
    `a worker is not lent for this: ${shown}`,
    `worker 不允许用于：${shown}`,
    `Who runs the worker decides with ${flag} (dyno worker --help).`,
    `由运行 worker 的一方用 ${flag} 决定（dyno worker --help）。`,
    '--workers',
  );
}
