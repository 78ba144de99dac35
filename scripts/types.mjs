// The declarations of the library: tsc says what every module declares, and dist/types/ gets those that a reader of the library can
// reach. A name is taken from the file that declares it, so that a room's index.ts does not bring the whole room; a shape that zod
// infers is written out, so that no package is needed to read it.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const inferred = /^export type (\w+) = .*\bz\.infer<typeof \w+>.*;$/gm;
const fromStatement = /^(import|export) (type )?(\*(?: as \w+)?|\{[^}]*\}) from ['"]([^'"]+)['"];$/gm;
const inlineImport = /import\("(\.[^"]+)"\)\.(\w+)/g;

/** Writes the declarations of the module `entry` of src/, and of all that it needs, below dist/types/. */
export async function buildTypes(root, entry) {
  const work = join(root, 'dist/types.work');
  try {
    const declared = await declarations(root, work, join(root, 'src', entry));
    for (const [file, text] of reachable(join(root, 'src', entry), declared)) {
      const out = join(root, 'dist/types', relative(join(root, 'src'), file)).replace(/\.ts$/, '.d.ts');
      await mkdir(dirname(out), { recursive: true });
      await writeFile(out, text);
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What every module that the entry imports declares, by its file. */
async function declarations(root, work, entry) {
  const shapes = await inferredShapes(join(root, 'src'));
  await mkdir(work, { recursive: true });
  // The compiler writes out the type of a value that has no name of its own.
  const lines = shapes.flatMap(({ file, name }, i) => [
    `import type { ${name} as T${i} } from '${relative(work, file)}';`,
    `declare const t${i}: { [K in keyof T${i}]: T${i}[K] };`,
    `export const shape${i} = { ...t${i} };`,
  ]);
  await writeFile(join(work, 'shapes.ts'), lines.join('\n'));
  const out = join(work, 'out');
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true, noErrorTruncation: true };
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { ...emit, rootDir: root, outDir: out },
    files: [entry, join(work, 'shapes.ts')],
    include: [],
  };
  await writeFile(join(work, 'tsconfig.json'), JSON.stringify(config));
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', work]);
  const declared = new Map();
  for (const name of await readdir(out, { recursive: true }))
    if (name.endsWith('.d.ts'))
      declared.set(join(root, name.replace(/\.d\.ts$/, '.ts')), await readFile(join(out, name), 'utf8'));
  const written = declared.get(join(work, 'shapes.ts'));
  for (const [i, { file, name }] of shapes.entries()) {
    const shape = new RegExp(`^export declare const shape${i}: (\\{[\\s\\S]*?\\n\\});$`, 'm').exec(written)[1];
    const here = shape.replaceAll(inlineImport, (whole, from, part) => {
      const path = relative(dirname(file), resolve(work, from));
      return `import("${path.startsWith('.') ? path : `./${path}`}").${part}`;
    });
    const old = new RegExp(`^export type ${name} = .*z\\.infer<.*$`, 'm');
    declared.set(
      file,
      (declared.get(file) ?? '').replace(old, () => `export type ${name} = ${here};`),
    );
  }
  return declared;
}

/** Every type of src/ that is inferred from a schema. */
async function inferredShapes(src) {
  const shapes = [];
  for (const path of await readdir(src, { recursive: true })) {
    if (!path.endsWith('.ts')) continue;
    const file = join(src, path);
    for (const [, name] of (await readFile(file, 'utf8')).matchAll(inferred)) shapes.push({ file, name });
  }
  return shapes;
}

/** The files that somebody who reads `entry` comes to, each with nothing but the declarations that are needed there. */
function reachable(entry, declared) {
  const modules = new Map([...declared].map(([file, text]) => [file, moduleOf(file, text)]));
  const kept = new Map();
  const at = (file) => {
    if (!kept.has(file)) kept.set(file, { names: new Set(), lines: new Set() });
    return kept.get(file);
  };
  const pathTo = (from, file) => {
    const path = relative(dirname(from), file).replace(/\.ts$/, '.js');
    return path.startsWith('.') ? path : `./${path}`;
  };
  const need = (from, name) => {
    const found = declarerOf(from, name, modules);
    const { file } = found;
    const { names, lines } = at(file);
    if (names.has(found.name)) return found;
    names.add(found.name);
    const { statements, imports } = modules.get(file);
    const code = statements.get(found.name).replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [, from_, part] of code.matchAll(inlineImport)) need(resolve(dirname(file), from_), part);
    // Names of members, parameters and methods, and words in quotes, name nothing else.
    const words = code.replaceAll(/"[^"\n]*"|[\w$]+(?=\??:|\()/g, '').match(/[A-Za-z_$][\w$]*/g);
    for (const word of new Set(words)) {
      if (word !== found.name && statements.has(word)) need(file, word);
      const wanted = imports.get(word);
      if (wanted === undefined) continue;
      if (wanted.from.startsWith('node:')) lines.add(`import type { ${wanted.name} } from '${wanted.from}';`);
      else if (!wanted.from.startsWith('/'))
        throw new Error(`the declarations of ${file} need the package ${wanted.from}`);
      else {
        const there = need(wanted.from, wanted.name);
        const shown = there.name === word ? word : `${there.name} as ${word}`;
        lines.add(`import type { ${shown} } from '${pathTo(file, there.file)}';`);
      }
    }
    return found;
  };
  const { statements, exported } = modules.get(entry);
  at(entry);
  for (const name of statements.keys()) need(entry, name);
  for (const { from, name, as, type } of exported) {
    const there = need(from, name);
    const shown = there.name === as ? as : `${there.name} as ${as}`;
    at(entry).lines.add(`export ${type}{ ${shown} } from '${pathTo(entry, there.file)}';`);
  }
  const text = (file, { names, lines }) => {
    const { opening, statements: all } = modules.get(file);
    const bodies = [...all].filter(([name]) => names.has(name)).map(([, body]) => body);
    return [file === entry ? opening : '', [...lines].toSorted().join('\n'), ...bodies, 'export {};']
      .filter((part) => part !== '')
      .join('\n')
      .replaceAll(inlineImport, (whole, from, name) => {
        const there = declarerOf(resolve(dirname(file), from), name, modules);
        return `import("${pathTo(file, there.file)}").${there.name}`;
      })
      .concat('\n');
  };
  return [...kept].map(([file, what]) => [file, text(file, what)]);
}

/** The declarations of a file: what it says at its beginning, its imports, what it exports from others, and its statements by name. */
function moduleOf(file, text) {
  const imports = new Map();
  const exported = [];
  const whole = [];
  for (const [, verb, type = '', names, from] of text.matchAll(fromStatement)) {
    const there = from.startsWith('.') ? resolve(dirname(file), from) : from;
    if (names === '*') whole.push(there);
    else if (names.startsWith('*')) imports.set(names.slice('* as '.length), { from: there, name: '*' });
    else
      for (const { name, as, own } of namesIn(names)) {
        if (verb === 'import') imports.set(as, { from: there, name });
        else exported.push({ from: there, name, as, type: type || own });
      }
  }
  const statements = new Map();
  const own = text.replaceAll(fromStatement, '').replaceAll(/^export \{\};$/gm, '');
  const starts =
    /^(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?(?:export )?(?:declare )?(?:abstract )?(?:interface|type|const|let|class|function) ([\w$]+)/gm;
  const found = [...own.matchAll(starts)];
  found.forEach((match, i) => {
    const [, name] = match;
    const body = own.slice(match.index, found[i + 1]?.index).trimEnd();
    // A function may be declared several times.
    statements.set(name, statements.has(name) ? `${statements.get(name)}\n${body}` : body);
  });
  const opening = /^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? '';
  return { opening, imports, exported, whole, statements };
}

/** The file that declares what a module exports under a name, and what it is called there. */
function declarerOf(file, name, modules) {
  const found = lookFor(file, name, modules);
  if (found === null) throw new Error(`nobody declares the ${name} of ${file}`);
  return found;
}

function lookFor(file, name, modules) {
  const module = modules.get(file);
  if (module === undefined) return null;
  if (module.statements.has(name)) return { file, name };
  const listed = module.exported.find(({ as }) => as === name);
  if (listed !== undefined) return lookFor(listed.from, listed.name, modules);
  for (const from of module.whole) {
    const found = lookFor(from, name, modules);
    if (found !== null) return found;
  }
  return null;
}

/** `{ a, type b as c }` as names, what they are called here, and whether each is a type only. */
function namesIn(list) {
  return list
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const own = part.startsWith('type ') ? 'type ' : '';
      const [name, as = name] = part.slice(own.length).split(' as ');
      return { name, as, own };
    });
}
