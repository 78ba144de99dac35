import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engine } from './dyno.ts';
import type { Engine } from './dyno.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/guide/library.md');

/** A block of TypeScript of the page, and what it says is printed; null = that depends on the server. */
interface Example {
  name: string;
  code: string;
  prints: string | null;
}

async function examplesOf(file: string): Promise<Example[]> {
  const blocks = (await readFile(file, 'utf8')).matchAll(/^```ts\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm);
  return [...blocks].map(([, code, prints], i) => ({ name: `example-${i + 1}`, code: code!, prints: prints ?? null }));
}

/** A folder with nothing in it but the package as it is packed, and what its package.json says it needs. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'llmdyno-library-'));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: root,
  });
  const home = join(folder, 'node_modules/llmdyno');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', home, '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  // As `npm install` would, without a registry; @types/node is what a program in TypeScript brings.
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    const at = join(folder, 'node_modules', name);
    await mkdir(dirname(at), { recursive: true });
    await symlink(join(root, 'node_modules', name), at);
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  return folder;
}

/** tsc in the folder; gives back what it complains of. */
async function typeErrors(folder: string, files: readonly string[]): Promise<string> {
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--outDir', 'out'];
  const exact = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  return run(tsc, [...options, ...exact, '--ignoreConfig', ...files], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? String(error),
  );
}

describe('the library, from the packed package in an empty folder', () => {
  let folder: string;
  let examples: Example[];
  let server: Engine;

  beforeAll(async () => {
    [folder, examples, server] = await Promise.all([installed(), examplesOf(page), engine()]);
    for (const { name, code } of examples) await writeFile(join(folder, `${name}.ts`), code);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('its declarations and every example of the guide pass tsc --strict, and each example prints what the guide says', async () => {
    const errors = await typeErrors(
      folder,
      examples.map(({ name }) => `${name}.ts`),
    );
    expect(errors).toBe('');
    // One after the other: they share a store, as the page's reader would.
    for (const { name, prints } of examples) {
      const { stdout, stderr } = await run(process.execPath, [join('out', `${name}.js`)], {
        cwd: folder,
        env: { PATH: process.env['PATH'], SERVER: server.url },
      });
      expect({ name, stderr }).toEqual({ name, stderr: '' });
      if (prints !== null) expect({ name, stdout }).toEqual({ name, stdout: prints });
    }
  });

  test('every name that can be imported has an example', async () => {
    const said = (await readFile(join(root, 'src/library/index.ts'), 'utf8')).matchAll(/export (?:type )?\{([^}]*)\}/g);
    const names = [...said].flatMap(([, list]) => list!.split(',').map((part) => part.trim().split(' as ').at(-1)!));
    const imports = examples.flatMap(({ code }) => [...code.matchAll(/import (?:type )?\{([^}]*)\} from 'llmdyno'/g)]);
    const imported = new Set(imports.flatMap(([, list]) => list!.split(',').map((part) => part.trim())));
    expect(names.filter((name) => name !== '' && !imported.has(name))).toEqual([]);
  });

  test('a wrong setting does not compile, and nothing but the door can be imported', async () => {
    await writeFile(
      join(folder, 'wrong.ts'),
      "import { run } from 'llmdyno';\nimport 'llmdyno/dist/lib/index.js';\nawait run({ concurency: 1 });\n",
    );
    const errors = await typeErrors(folder, ['wrong.ts']);
    expect(errors).toContain("'concurency' does not exist");
    const refused = run(process.execPath, ['--input-type=module', '-e', "import 'llmdyno/dist/lib/index.js'"], {
      cwd: folder,
    });
    await expect(refused).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('it brings the commands', async () => {
    const { stdout } = await run(process.execPath, ['node_modules/llmdyno/dist/cli/main.js', '--version'], {
      cwd: folder,
    });
    expect(stdout).toMatch(/\d+\.\d+\.\d+/);
  });
});
