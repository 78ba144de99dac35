// Changes one small thing at a time in the pure rooms, in memory, runs the tests that stand beside it, and lists what nobody noticed.
//   npm run mutants -- [--count 40] [--minutes 60] [--seed 1] [--only results/measure,tools] [--processes 2] [--again FILE:LINE] [--beside]
// The seed picks so many of each room. Beside a file stand the tests of its room that go through the line, those of its own folder and name first; what they let pass may still be noticed by
// test/laws, and is told apart (--beside leaves the laws out: quicker, and harsher). What the time does not suffice for is not tried.
// Tests that take seconds each (steps.mjs names them) are left out.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { root, takeLong } from './steps.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    processes: { type: 'string', default: '2' },
    again: { type: 'string' },
    beside: { type: 'boolean', default: false },
  },
});
/** A change that a test file cannot end with is noticed: it takes so many times the processor that it took without, and no less than `cpuSeconds`. Where that cannot be read, so long. */
const patience = { times: 10, cpuSeconds: 5, wallMs: 600_000 };

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
const testsOf = new Map(
  [...pureRooms, 'laws'].map((room) => [
    room,
    filesBelow(room === 'laws' ? 'test/laws' : `src/${room}`).filter(
      (file) => file.endsWith('.test.ts') && !takeLong.includes(file),
    ),
  ]),
);
const wanted = values.only.split(',');
const all = [...pureRooms].flatMap((room) =>
  filesBelow(`src/${room}`)
    .filter(
      (file) =>
        file.endsWith('.ts') && !file.endsWith('.test.ts') && wanted.some((from) => file.startsWith(`src/${from}`)),
    )
    .flatMap((file) => changesOf(file).map((change) => ({ room, file, ...change }))),
);
const mutants =
  values.again === undefined
    ? sample(shuffled(all, Number(values.seed)), Number(values.count))
    : all.filter(({ file, line }) => `${file}:${line}` === values.again);
const until = Date.now() + Number(values.minutes) * 60_000;
const tried = [];
/** Of each test file: whether it passes as the code is, and which lines it goes through. */
const asItIs = new Map();
/** Of a test of a file: whether it passes without those before it. */
const alone = new Map();
const waiting = [...mutants];
await Promise.all(Array.from({ length: Number(values.processes) }, () => tryAll()));
tell();

async function tryAll() {
  const tests = openProcess();
  for (let mutant = waiting.shift(); mutant !== undefined && Date.now() < until; mutant = waiting.shift()) {
    const noticedBy =
      (await noticed(tests, mutant, testsOf.get(mutant.room))) ??
      (values.beside ? null : await noticed(tests, mutant, testsOf.get('laws')));
    tried.push({ ...mutant, noticedBy });
    const what = `${mutant.file}:${mutant.line} ${mutant.kind}: ${mutant.was} → ${mutant.becomes}`;
    console.error(
      `${noticedBy === null ? 'SURVIVED' : 'noticed '} ${what}${noticedBy === null ? '' : ` (${noticedBy})`}`,
    );
  }
  tests.close();
}

/** The first test file with a test that goes through the line and fails with the change, or null. */
async function noticed(tests, { file, at, was, becomes, line }, files) {
  const code = readFileSync(join(root, file), 'utf8');
  const changed = { path: join(root, file), code: code.slice(0, at) + becomes + code.slice(at + was.length) };
  const stem = basename(file, '.ts');
  const distance = (test) => (basename(test).startsWith(stem) ? 0 : dirname(test) === dirname(file) ? 1 : 2);
  for (const test of files.toSorted((a, b) => distance(a) - distance(b))) {
    const path = join(root, test);
    if (!asItIs.has(test)) asItIs.set(test, await tests.run({ path, changed: null }));
    const { passed, lines, cpuSeconds } = asItIs.get(test);
    // A file that fails without any change notices nothing, and neither does a test that never comes by.
    const by = lines[changed.path]?.[line];
    if (!passed || by === undefined) continue;
    const only = by.includes(null) ? null : by;
    const { failed = null, ...told } = await tests.run({ path, changed, only }, cpuSeconds);
    if (!told.passed && (failed === null || (await passesAlone(tests, path, failed)))) return test;
  }
  return null;
}

/** Whether a test passes as the code is without those before it: what it needs of them is no change's fault. */
async function passesAlone(tests, path, index) {
  const key = `${path} ${index}`;
  if (!alone.has(key)) alone.set(key, (await tests.run({ path, changed: null, only: [index] })).passed);
  return alone.get(key);
}

/** A process that runs test files, and another in its place where one does not end. */
function openProcess() {
  const open = () =>
    fork(new URL('mutant-process.mjs', import.meta.url), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let child = open();
  return {
    run: (order, usualSeconds = Infinity) =>
      new Promise((resolve) => {
        const [cpu, began] = [cpuSecondsOf(child.pid), Date.now()];
        const done = (told) => {
          clearInterval(looking);
          child.removeAllListeners();
          resolve({ ...told, cpuSeconds: (cpuSecondsOf(child.pid) ?? Infinity) - (cpu ?? 0) });
        };
        const broken = (why) => {
          child.removeAllListeners();
          child.kill('SIGKILL');
          child = open();
          done({ passed: false, why, lines: {} });
        };
        const looking = setInterval(() => {
          const spent = cpuSecondsOf(child.pid);
          const isOver =
            spent === null
              ? Date.now() - began > patience.wallMs
              : spent - (cpu ?? 0) > patience.cpuSeconds + patience.times * usualSeconds;
          if (isOver) broken('it did not end');
        }, 500);
        child.once('message', done);
        child.once('exit', () => broken('the process ended'));
        child.send(order);
      }),
    close: () => child.kill(),
  };
}

/** What a process took of the processors, or null where the system does not say. */
function cpuSecondsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

function tell() {
  const survivors = tried.filter(({ noticedBy }) => noticedBy === null);
  const byLaws = tried.filter(({ noticedBy }) => noticedBy?.startsWith('test/laws'));
  console.log('\n| room | tried | noticed beside it | by test/laws | by nobody |\n|---|---:|---:|---:|---:|');
  for (const room of [...pureRooms, null]) {
    const of = (list) => list.filter((mutant) => room === null || mutant.room === room).length;
    const [here, laws, nobody] = [of(tried), of(byLaws), of(survivors)];
    if (here > 0) console.log(`| ${room ?? 'all'} | ${here} | ${here - laws - nobody} | ${laws} | ${nobody} |`);
  }
  console.log(`\n${tried.length} of ${all.length}, seed ${values.seed}`);
  for (const [test, { passed, why }] of asItIs)
    if (!passed) console.log(`not used, because it fails as it is: ${test} (${why})`);
  console.log('\n| survivor | line | change |\n|---|---|---|');
  for (const { file, line, text, kind, was, becomes } of survivors)
    console.log(
      `| \`${file}:${line}\` | \`${text.replaceAll('|', '\\|')}\` | ${kind}: \`${was.replaceAll('|', '\\|')}\` → \`${becomes.replaceAll('|', '\\|')}\` |`,
    );
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
}

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
          // A number too large for a difference of one.
          if (Number(becomes) === Number(was)) continue;
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

/** So many of each room, in turn, so that a stop before the end leaves no room out. */
function sample(list, count) {
  const seen = new Map();
  const turn = (mutant) => {
    seen.set(mutant.room, (seen.get(mutant.room) ?? 0) + 1);
    return [seen.get(mutant.room), mutant];
  };
  return list
    .map(turn)
    .filter(([nth]) => nth <= count)
    .toSorted(([a], [b]) => a - b)
    .map(([, mutant]) => mutant);
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
