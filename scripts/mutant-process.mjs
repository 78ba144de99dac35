// Runs test files of pure rooms in one process, again and again, with one file of src changed in memory: a second of vitest's start for each change
// would be most of the time. Each round loads all modules anew, so that nothing of the last change is left. Orders come as messages: see mutants.mjs.
import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { transformSync } from 'esbuild';

const native = createRequire(import.meta.url);
// What `expect` of vitest is made of.
const ofVitest = createRequire(native.resolve('vitest/package.json'));
const { chai, JestChaiExpect, JestExtend, JestAsymmetricMatchers, ASYMMETRIC_MATCHERS_OBJECT, setState } = await import(
  pathToFileURL(ofVitest.resolve('@vitest/expect'))
);
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);
const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
setState({ assertionCalls: 0, isExpectingAssertions: false }, expect);
/** Only compares: a change is not to be written down as what is right. */
let folderOfTest = '';
const asInFile = (text, name) => ({
  pass: readFileSync(join(folderOfTest, name), 'utf8') === text,
  message: () => `not as in ${name}`,
});
chai.expect.extend(expect, { toMatchFileSnapshot: asInFile });

/** What a test file registers. */
let tests = [];
let hooks = { before: [], after: [] };
const add = (_name, ...rest) => tests.push(rest.findLast((one) => typeof one === 'function'));
const group = (_name, ...rest) => rest.findLast((one) => typeof one === 'function')();
const each = (register) => (cases) => (name, run) => {
  for (const one of cases) register(name, () => run(...(Array.isArray(one) ? one : [one])));
};
const dressed = (register) =>
  Object.assign(register, {
    each: each(register),
    for: (cases) => (name, run) => cases.forEach((one) => register(name, () => run(one, { expect }))),
    concurrent: register,
    skipIf: (skip) => (skip ? () => {} : register),
    runIf: (go) => (go ? register : () => {}),
  });
const test = dressed(add);
const vitest = {
  test,
  it: test,
  describe: dressed(group),
  expect,
  beforeAll: (run) => hooks.before.push(run),
  afterAll: (run) => hooks.after.push(run),
};

const scripts = new Map();
const wrapper = '(function (require, module, exports, __dirname, __url) {';
/** Of each file as it is: the plain JavaScript made of it, and which line of the file each place of that comes from. */
const places = new Map();
/** A module as a function, compiled once; `code` = what stands there instead of the file. */
function compiled(path, code = null) {
  if (code === null && scripts.has(path)) return scripts.get(path);
  const { code: plain, map } = transformSync(code ?? readFileSync(path, 'utf8'), {
    loader: 'ts',
    format: 'cjs',
    target: 'node20',
    sourcemap: 'external',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__url' },
  });
  const made = vm.runInThisContext(`${wrapper}${plain}\n})`, { filename: path });
  if (code === null) {
    scripts.set(path, made);
    places.set(path, { plain, lines: linesOf(JSON.parse(map).mappings, plain) });
  }
  return made;
}

function load(path, changed, modules) {
  const there = modules.get(path);
  if (there !== undefined) return there.exports;
  const module = { exports: {} };
  modules.set(path, module);
  if (path.endsWith('.json')) {
    module.exports = JSON.parse(readFileSync(path, 'utf8'));
    return module.exports;
  }
  const folder = dirname(path);
  const resolve = (name) => {
    if (name === 'vitest') return vitest;
    if (!name.startsWith('.')) return native(name);
    const file = join(folder, name);
    return existsSync(file) ? load(file, changed, modules) : native(file);
  };
  const body = compiled(path, path === changed?.path ? changed.code : null);
  body(resolve, module, module.exports, folder, pathToFileURL(path).href);
  return module.exports;
}

/** Runs the tests of a file that `only` numbers (null: all), up to the first that fails; `after` hears of the loading (null) and of each test. */
async function passes({ path, changed, only = null }, after = null) {
  [tests, hooks] = [[], { before: [], after: [] }];
  folderOfTest = dirname(path);
  const modules = new Map();
  let why = null;
  let failed = null;
  try {
    load(path, changed, modules);
    for (const hook of hooks.before) await hook();
    await after?.(null);
    for (const [index, run] of tests.entries()) {
      if (only !== null && !only.includes(index)) continue;
      failed = index;
      await run({ expect });
      await after?.(index);
    }
  } catch (error) {
    why = String(error?.message ?? error).split('\n')[0];
  }
  for (const hook of hooks.after) await Promise.resolve(hook()).catch(() => {});
  return { passed: why === null, why, failed: why === null ? null : failed };
}

/** A file that takes less of the processor runs whole for each change: to ask after each of its tests which lines it went through takes longer than they do. */
const quickMicros = 500_000;

/** Runs a test file as the code is, and gives back which of its tests go through which line of which file; null among them: its loading does, or the file is a quick one. */
async function reaches(file) {
  const began = process.cpuUsage();
  await passes({ path: file, changed: null });
  const { user, system } = process.cpuUsage(began);
  const isQuick = user + system < quickMicros;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const lines = {};
  const look = async (index) => {
    // Counts begin anew with each taking.
    const { result } = await session.post('Profiler.takePreciseCoverage');
    for (const { url, functions } of result) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : url;
      const place = places.get(path);
      if (place === undefined) continue;
      const went = new Uint8Array(place.plain.length);
      const ranges = functions.flatMap((one) => one.ranges);
      // The smaller lies in the larger and knows better.
      for (const { startOffset, endOffset, count } of ranges.toSorted(
        (a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset),
      ))
        went.fill(
          count > 0 ? 1 : 0,
          Math.max(0, startOffset - wrapper.length),
          Math.max(0, endOffset - wrapper.length),
        );
      const here = (lines[path] ??= {});
      for (const { at, line } of place.lines)
        if (went[at] === 1 && (here[line] ??= []).at(-1) !== index) here[line].push(index);
    }
  };
  const told = await passes({ path: file, changed: null }, isQuick ? null : look);
  if (isQuick) await look(null);
  session.disconnect();
  return { ...told, lines };
}

/** The places that a source map names, as offsets, each with its line of the source. */
function linesOf(mappings, code) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const found = [];
  let [start, line] = [0, 0];
  for (const inLine of mappings.split(';')) {
    let column = 0;
    for (const segment of inLine === '' ? [] : inLine.split(',')) {
      const numbers = [];
      let [value, shift] = [0, 0];
      for (const letter of segment) {
        const digit = letters.indexOf(letter);
        value += (digit & 31) << shift;
        shift += 5;
        if (digit & 32) continue;
        numbers.push(value & 1 ? -(value >> 1) : value >> 1);
        [value, shift] = [0, 0];
      }
      column += numbers[0];
      line += numbers[2] ?? 0;
      found.push({ at: start + column, line: line + 1 });
    }
    start = code.indexOf('\n', start) + 1;
  }
  return found;
}

process.on('message', async (order) =>
  process.send(await (order.changed === null && order.only === undefined ? reaches(order.path) : passes(order))),
);
process.on('disconnect', () => process.exit());
// A promise that a changed line left behind is not the next one's.
process.on('unhandledRejection', () => {});
