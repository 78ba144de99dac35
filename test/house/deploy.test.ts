import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commands } from '../../src/cli/commands.ts';
import { parseCommand } from '../../src/cli/parse.ts';
import { quietIo } from '../in-process.ts';

const root = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version, files } = JSON.parse(text('package.json')) as { version: string; files: string[] };
const dockerfile = text('deploy/Dockerfile');

interface Container {
  name: string;
  image: string;
  args?: string[];
  command?: string[];
  env?: { name: string; value?: string }[];
  securityContext: { allowPrivilegeEscalation: boolean; capabilities: { drop: string[] } };
}
interface Manifest {
  kind: string;
  spec?: {
    template?: {
      spec: { containers: Container[]; securityContext: { runAsNonRoot?: boolean; runAsUser?: number } };
    };
  };
}
interface EngineServer {
  image: string;
  command?: string[];
  build?: { context: string; dockerfile: string };
  depends_on?: Record<string, unknown>;
  network_mode?: string;
  volumes?: string[];
}
const documents = parseAllDocuments(text('deploy/kubernetes/llmdyno.yaml'));
const manifests = documents.map((one) => one.toJS() as Manifest);
const pods = manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);
const compose = parse(text('deploy/compose.yaml')) as {
  services: Record<string, EngineServer>;
  volumes: Record<string, unknown>;
};

/** What an ignore file of Docker leaves out; only the plain forms that ours uses. */
function isIgnored(path: string): boolean {
  return text('.dockerignore')
    .split('\n')
    .filter((line) => line !== '')
    .some((line) =>
      line.startsWith('*.') ? !path.includes('/') && path.endsWith(line.slice(1)) : path.split('/')[0] === line,
    );
}

/** What is given to dyno must be a command of it with flags it has. */
async function accepts([name = '', ...words]: readonly string[]): Promise<void> {
  const entry = commands[name];
  expect(entry, name).toBeDefined();
  const filled = words.map((word) => word.replace(/^\$\{\w+:-(.*)\}$/, '$1'));
  parseCommand(name, (await entry!.load()).command, filled, quietIo);
}

describe('the image', () => {
  test('everything that is copied into it is there, and is not left out of the build', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )*(.+) \S+$/gm)].flatMap(([, from]) =>
      from!.split(' '),
    );
    expect(copied).toContain('package.json');
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(isIgnored(path), path).toBe(false);
    }
    const built = ['src', 'scripts', 'data', 'tsconfig.json', ...files.filter((path) => path !== 'dist')];
    for (const path of built) expect(isIgnored(path), path).toBe(false);
    for (const path of ['.git', 'node_modules', 'dist', 'dyno-runs', 'worker.env', 'ca.pem'])
      expect(isIgnored(path), path).toBe(true);
  });

  test('it runs as nobody special, from images with a version', () => {
    expect(/^USER (\d+)/gm.exec(dockerfile.slice(dockerfile.lastIndexOf('FROM')))?.[1]).toBe('1000');
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/:(?!latest)[\w.-]+$/);
  });

  test('the entrypoint takes the address from the environment and the password from a file, and passes all else on', () => {
    const dir = mkdtempSync(join(tmpdir(), 'llmdyno-entry-'));
    writeFileSync(join(dir, 'dyno'), '#!/bin/sh\nprintf "%s|" "$@" "$DYNO_REDIS_PASSWORD"\n', { mode: 0o755 });
    writeFileSync(join(dir, 'secret'), 'from a file\n');
    const run = (words: readonly string[], env: Record<string, string>): string =>
      execFileSync('sh', [join(root, 'deploy/entrypoint.sh'), ...words], {
        env: { PATH: `${dir}:${process.env['PATH']}`, ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const place = { DYNO_REDIS_URL: 'redis://r:6379', DYNO_REDIS_PASSWORD_FILE: join(dir, 'secret') };
    expect(run(['worker'], place)).toBe('worker|redis://r:6379|--queue|dyno|from a file|');
    expect(run(['worker'], { ...place, DYNO_QUEUE: 'mine' })).toBe('worker|redis://r:6379|--queue|mine|from a file|');
    const own = ['worker', 'redis://s:1', '--name', 'a b'];
    expect(run(own, { DYNO_REDIS_PASSWORD: 'x' })).toBe(`${own.join('|')}|x|`);
    expect(() => run(['worker'], {})).toThrow(/set DYNO_REDIS_URL/);
  });
});

describe('compose', () => {
  test('services know each other, images have versions, ours is this version', () => {
    for (const [name, { image, build, depends_on: needs = {}, network_mode: net, volumes = [] }] of Object.entries(
      compose.services,
    )) {
      expect(image, name).toMatch(/:(?!latest)[\w.-]+$/);
      if (image.startsWith('llmdyno')) expect(image).toBe(`llmdyno:${version}`);
      if (build !== undefined) expect(existsSync(join(root, 'deploy', build.context, build.dockerfile))).toBe(true);
      for (const other of Object.keys(needs)) expect(Object.keys(compose.services)).toContain(other);
      if (net !== undefined) expect(Object.keys(compose.services)).toContain(net.replace('service:', ''));
      for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    }
  });

  test('what dyno is told it understands', async () => {
    for (const { image, command = [] } of Object.values(compose.services)) {
      if (!image.startsWith('llmdyno')) continue;
      await accepts(command.length === 1 ? [...command, 'redis://redis:6379'] : command);
    }
  });
});

describe('Kubernetes', () => {
  test('nobody is root or may become it, images have versions, ours is this version', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(pods).toHaveLength(3);
    for (const { securityContext, containers } of pods) {
      expect(securityContext.runAsNonRoot).toBe(true);
      expect(securityContext.runAsUser).toBeGreaterThan(0);
      for (const { image, securityContext: own } of containers) {
        expect(image).toMatch(/:(?!latest)[\w.-]+$/);
        if (image.startsWith('llmdyno')) expect(image).toBe(`llmdyno:${version}`);
        expect(own).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
      }
    }
  });

  test('what dyno is told it understands; no password stands in a command or beside it', async () => {
    for (const { image, args = [], command = [], env = [] } of pods.flatMap(({ containers }) => containers)) {
      for (const { name, value } of env) if (/PASSWORD/.test(name)) expect(value).toBeUndefined();
      // What a shell puts together behind -c may read it, what stands in the list of processes may not.
      expect(command.filter((word) => !word.includes('\n')).join(' ')).not.toMatch(/pass/i);
      if (image.startsWith('llmdyno')) await accepts(args.length === 1 ? [...args, 'redis://redis:6379'] : args);
    }
  });
});

test('the systemd unit starts dyno with flags that it has, and not as root', async () => {
  const unit = text('deploy/systemd/llmdyno-worker@.service');
  expect(unit).toMatch(/^DynamicUser=yes$/m);
  const line = /^ExecStart=\/bin\/sh -c 'exec dyno (.+)'$/m.exec(unit)![1]!;
  const words = line
    .replace('"$DYNO_REDIS_URL"', 'redis://redis:6379')
    .replace('"$${DYNO_QUEUE:-dyno}"', 'dyno')
    .replaceAll('"', '')
    .split(' ');
  await accepts(words);
});

test('every file of deploy/ is explained in the guide', () => {
  const guide = text('docs/guide/cluster.md');
  const found = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  expect(found.length).toBeGreaterThan(4);
  for (const { parentPath, name } of found)
    expect(guide).toContain(`\`${join(parentPath, name).slice(root.length + 1)}\``);
});
