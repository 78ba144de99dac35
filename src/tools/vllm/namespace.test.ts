import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readForeign } from '../foreign-flags.ts';
import { vllmServeFlags } from './flags.ts';
import { vllmNamespace } from './namespace.ts';

test('the line that a published run of early 2025 begins with, from the command that its author typed', () => {
  const file = join(import.meta.dirname, '../../../test/fixtures/import/published/evalscope-mxc500.md');
  const typed =
    '--backend vllm --model qwen2.5 --tokenizer DATA/Qwen2.5-72B-Instruct --dataset-name sharegpt --dataset-path DATA/ShareGPT_V3_unfiltered_cleaned_split.json --base-url http://0.0.0.0:8000 --trust-remote-code';
  const printed = /^Namespace\(.*\)$/m.exec(readFileSync(file, 'utf8'))![0];
  expect(vllmNamespace(readForeign(vllmServeFlags, typed.split(' ')))).toBe(`${printed}\n`);
});

test('what else was typed, as Python writes it', () => {
  const words = readForeign(vllmServeFlags, [
    '--model',
    "it's",
    '--request-rate',
    '4',
    '--goodput',
    'ttft:100',
    'tpot:50',
  ]);
  expect(vllmNamespace(words)).toMatch(/ model="it's", .* request_rate=4\.0, .* goodput=\['ttft:100', 'tpot:50'\], /);
});
