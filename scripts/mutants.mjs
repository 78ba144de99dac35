// Changes one small thing at a time in the pure rooms, runs the tests that stand beside the file, and lists what nobody noticed.
//   npm run mutants -- [--minutes 10] [--seed 1] [--only results/measure]
// The seed picks and orders the mutants; what the time does not suffice for is not tried. A mutant that the tests cannot end with is noticed.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { root, run } from './steps.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const vitest = `${root}node_modules/.bin/vitest`;

/** What is changed: a pattern, what becomes of it, and what the change is called. */
const changes = [
  ['comparison', / (<=|>=|<|>) /g, { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }],
  ['equality', / (===|!==) /g, { '===': '!==', '!==': '===' }],
  ['arithmetic', / ([-+*/]) /g, { '+': '-', '-': '+', '*': '/', '/': '*' }],
  ['condition', / (&&|\|\|) /g, { '&&': '||', '||': '&&' }],
  ['extreme', /\bMath\.(min|max)\(/g, { min: 'max', max: 'min' }],
  ['constant', /(?<![\w.$'"`[_])(\d+)(?![\w.$'"`_])/g, null],
];

const { pureRooms } = await loaded('src/core/rooms.ts');
const mutants = shuffled([...pureRooms].flatMap(mutantsOf), Number(values.seed));
const until = Date.now() + Number(values.minutes) * 60_000;
const tried = [];
const asItIs = new Map();
for (const mutant of mutants) {
  if (Date.now() > until) break;
  const { file } = mutant;
  if (!asItIs.has(file)) asItIs.set(file, await tested({ ...mutant, becomes: mutant.was }, 300_000));
  const { result, tookMs } = asItIs.get(file);
  // Tests that fail without any change notice nothing, and neither do none.
  if (result !== 'passed') continue;
  const survived = (await tested(mutant, 30_000 + 5 * tookMs)).result === 'passed';
  tried.push({ ...mutant, survived });
  const what = `${mutant.file}:${mutant.line} ${mutant.kind}: ${mutant.was} → ${mutant.becomes}`;
  console.error(`${survived ? 'SURVIVED' : 'noticed '} ${what}`);
}

for (const result of ['failed', 'none']) {
  const files = [...asItIs].filter(([, before]) => before.result === result).map(([file]) => file);
  const why = result === 'failed' ? 'its tests fail as it is' : 'no test beside it reaches it';
  for (const file of files) console.log(`not tried, because ${why}: \`${file}\``);
}
const survivors = tried.filter(({ survived }) => survived);
console.log('\n| room | tried | noticed |\n|---|---:|---:|');
for (const room of pureRooms) {
  const here = tried.filter((mutant) => mutant.room === room);
  if (here.length > 0) console.log(`| ${room} | ${here.length} | ${here.filter(({ survived }) => !survived).length} |`);
}
console.log(`| all | ${tried.length} of ${mutants.length} | ${tried.length - survivors.length} |`);
console.log('\n| survivor | line | change |\n|---|---|---|');
for (const { file, line, text, kind, was, becomes } of survivors)
  console.log(
    `| \`${file}:${line}\` | \`${text.replaceAll('|', '\\|')}\` | ${kind}: \`${was.replaceAll('|', '\\|')}\` → \`${becomes.replaceAll('|', '\\|')}\` |`,
  );

/** A module of src that imports nothing with a side effect. */
async function loaded(file) {
  const { outputFiles } = await build({
    entryPoints: [join(root, file)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

/** Every change of every file of a room in whose folder a test stands. */
function mutantsOf(room) {
  const files = readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' }).map(
    (file) => `src/${room}/${file}`,
  );
  const withTests = new Set(files.filter((file) => file.endsWith('.test.ts')).map((file) => dirname(file)));
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && withTests.has(dirname(file)))
    .filter((file) => values.only === '' || file.startsWith(`src/${values.only}`))
    .flatMap((file) => changesOf(file).map((change) => ({ room, file, folder: dirname(file), ...change })));
}

function changesOf(file) {
  const code = readFileSync(join(root, file), 'utf8');
  const found = [];
  let at = 0;
  for (const [index, text] of code.split('\n').entries()) {
    // Comments, imports, words that a user reads and types say nothing that a test could notice.
    if (
      !/^\s*(\/\/|\/?\*|import |export (type|interface|\*|\{)|type |interface |\} from )|['"`]|=>.*=>|: \w+ \|/.test(
        text,
      )
    )
      for (const [kind, pattern, swap] of changes)
        for (const match of text.matchAll(pattern)) {
          const was = match[1];
          const becomes = swap === null ? String(Number(was) + 1) : swap[was];
          found.push({
            kind,
            at: at + match.index + match[0].indexOf(was),
            was,
            becomes,
            line: index + 1,
            text: text.trim(),
          });
        }
    at += text.length + 1;
  }
  return found;
}

/** What the tests beside the file say, if they end in time: those in its folder that reach it. */
async function tested({ file, folder, at, was, becomes }, mostMs) {
  const args = ['related', file, '--run', '--config', 'scripts/mutants.config.mjs', '--reporter=dot', '--dir', folder];
  const began = Date.now();
  const { code, output } = await run(vitest, args, {
    env: { ...process.env, LLMDYNO_MUTANT: JSON.stringify({ file, at, was, becomes }) },
    signal: AbortSignal.timeout(mostMs),
  });
  const result = output.includes('No test files found') ? 'none' : code === 0 ? 'passed' : 'failed';
  return { result, tookMs: Date.now() - began };
}

/** The same order for the same seed (mulberry32). */
function shuffled(list, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return list
    .map((item) => [random(), item])
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}
