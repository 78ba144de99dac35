import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunPlan } from '../../core/index.ts';
import { checkFiles, checkRules } from './worker-rules.ts';
import type { WorkerRules } from './worker-rules.ts';
import type { WorkerSource } from './worker-source.ts';

const anything: WorkerRules = { urls: [], envs: [], files: [] };
const prompts: WorkerSource['prompts'] = { spec: 'random', options: {}, offsets: { warmup: 0, measure: 0 } };
const target = (url: string, more: Partial<RunPlan['target']> = {}): RunPlan['target'] => ({
  url,
  api: 'openai-chat',
  model: 'm',
  headers: {},
  keyEnv: null,
  insecure: false,
  ...more,
});
const source = (to: RunPlan['target'], headerEnv: Record<string, string> = {}): WorkerSource => ({
  prompts,
  dataset: { name: 'random', hash: null },
  target: to,
  headerEnv,
});
const check =
  (rules: Partial<WorkerRules>, to: RunPlan['target'], headerEnv: Record<string, string> = {}): (() => void) =>
  () =>
    checkRules({ ...anything, ...rules }, to, source(to, headerEnv));

describe('what a worker is lent for', () => {
  test('addresses: the ones that are allowed and what is below them, by every way there is', () => {
    const rules = { urls: ['http://10.0.0.9:8000/v1'] };
    expect(check(rules, target('http://10.0.0.9:8000/v1/chat/completions'))).not.toThrow();
    for (const url of [
      'http://10.0.0.9:8000/v10/chat',
      'http://10.0.0.9:8001/v1/chat',
      'https://10.0.0.9:8000/v1/chat',
      'http://10.0.0.9:8000@evil.example/v1/chat',
      'file:///etc/passwd',
      'no address',
    ])
      expect(check(rules, target(url)), url).toThrow(/not lent for this/);
    const reach = { ca: null, cert: null, key: null, proxy: null, also: [] };
    const inside = 'http://10.0.0.9:8000/v1/x';
    expect(check(rules, target(inside, { reach: { ...reach, also: ['http://evil.example/v1'] } }))).toThrow(/evil/);
    expect(check(rules, target(inside, { reach: { ...reach, proxy: 'http://evil.example:3128' } }))).toThrow(/evil/);
    expect(check({}, target('http://anywhere.example/'))).not.toThrow();
  });

  test('environment variables: those that are allowed, and never what opens Redis', () => {
    const url = 'http://10.0.0.9:8000/';
    expect(check({}, target(url, { keyEnv: 'MY_KEY' }))).not.toThrow();
    expect(check({ envs: ['MY_KEY'] }, target(url, { keyEnv: 'MY_KEY' }))).not.toThrow();
    expect(check({ envs: ['MY_KEY'] }, target(url), { 'x-team': 'HOME' })).toThrow(/HOME/);
    expect(check({}, target(url), { 'x-team': 'DYNO_REDIS_PASSWORD' })).toThrow(/DYNO_REDIS_PASSWORD/);
  });

  test('files: those that are allowed, whatever leads there; prompts that are made need none', () => {
    const dir = mkdtempSync(join(tmpdir(), 'llmdyno-rules-'));
    mkdirSync(join(dir, 'open'));
    writeFileSync(join(dir, 'open', 'a.jsonl'), '');
    writeFileSync(join(dir, 'shut.jsonl'), '');
    symlinkSync(join(dir, 'shut.jsonl'), join(dir, 'open', 'trap.jsonl'));
    const rules = { files: [join(dir, 'open')] };
    const asking = (spec: string, tokenizer?: string) => (): void =>
      checkFiles(rules, { ...prompts, spec, options: tokenizer === undefined ? {} : { tokenizer } });
    for (const spec of ['random', 'builtin:questions', `openqa:${join(dir, 'open', 'a.jsonl')}`])
      expect(asking(spec), spec).not.toThrow();
    for (const path of ['open/../shut.jsonl', 'open/trap.jsonl', 'open-not/a.jsonl', 'shut.jsonl'])
      expect(asking(`openqa:${join(dir, path)}`), path).toThrow(/not lent for this/);
    expect(asking('mix:1*random+1*openqa:/etc/passwd')).toThrow(/not lent for this/);
    expect(asking('images:..')).toThrow(/not lent for this/);
    expect(asking('random', '/etc')).toThrow(/\/etc/);
    const reach = { ca: null, cert: null, key: null, proxy: null, also: [] };
    const url = 'https://10.0.0.9/';
    for (const name of ['ca', 'cert', 'key'] as const) {
      const from = (path: string) => check(rules, target(url, { reach: { ...reach, [name]: join(dir, path) } }));
      expect(from('open/a.jsonl'), name).not.toThrow();
      expect(from('shut.jsonl'), name).toThrow(/not lent for this/);
    }
  });
});
