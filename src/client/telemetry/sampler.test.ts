import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from './run-tool.ts';
import { sample } from './sampler.ts';
import type { SampleOptions } from './sampler.ts';
import type { TelemetryLine } from './telemetry-line.ts';
import { findTools } from './tool-commands.ts';

let folder = '';
const table = `index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], power.draw [W]\n0, NVIDIA H200, 143771 MiB, 100 MiB, 7 %, 80.50 W\n`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmdyno-tools-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A stand-in for a vendor's tool: a shell script of that name in a folder of its own. */
async function tool(body: string, name = 'nvidia-smi'): Promise<{ file: string; path: string }> {
  const path = await mkdtemp(join(folder, 'bin-'));
  const file = join(path, name);
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
  return { file, path };
}

/** Samples until `enough` says so of the lines so far. */
async function lines(
  options: Partial<SampleOptions>,
  enough: (lines: TelemetryLine[]) => boolean,
): Promise<TelemetryLine[]> {
  const found: TelemetryLine[] = [];
  const stop = new AbortController();
  let clock = 0;
  await sample(
    {
      intervalMs: 5,
      tools: null,
      metricsUrls: [],
      metricsGuessed: false,
      metricsHeaders: {},
      insecure: false,
      files: null,
      nowMs: () => (clock += 0.01),
      emit: (line) => {
        found.push(line);
        if (enough(found)) stop.abort();
      },
      ...options,
    },
    stop.signal,
  );
  return found;
}

const count = (found: readonly TelemetryLine[], kind: TelemetryLine['kind']): number =>
  found.filter((line) => line.kind === kind).length;
const asTool = (file: string, timeoutMs = 60_000) => ({
  tool: 'nvidia-smi' as const,
  file,
  sample: [],
  once: [],
  env: process.env,
  timeoutMs,
});

describe('a sampler goes on whatever the tools do', () => {
  test('a tool that works gives a line each beat', async () => {
    const { file } = await tool(`cat <<'END'\n${table}END`);
    const found = await lines({ tools: [asTool(file)] }, (all) => count(all, 'devices') >= 3);
    expect(found[0]).toMatchObject({ kind: 'start' });
    expect(found.find((line) => line.kind === 'devices')).toMatchObject({
      tool: 'nvidia-smi',
      devices: [{ index: 0, powerW: 80.5, utilizationRatio: 0.07 }],
    });
  });

  test('one that hangs is ended and said to be missing, and then left alone', async () => {
    const { file } = await tool('sleep 300');
    const found = await lines({ tools: [asTool(file, 60)] }, () => false);
    expect(found.filter((line) => line.kind === 'missing').map((line) => line.why.en)).toEqual([
      'nvidia-smi did not answer in time and was ended',
      'nvidia-smi did not answer in time and was ended',
    ]);
  });

  test('one that prints garbage, wants root or is gone says so', async () => {
    const garbage = await tool("printf '\\001\\377\\200 no table, no numbers\\n%%%%\\n'");
    const root = await tool('echo "Failed to initialize NVML: Insufficient Permissions" >&2; exit 4');
    const why = async (file: string): Promise<string> => {
      const found = await lines({ tools: [asTool(file)] }, (all) => count(all, 'missing') > 0);
      const missing = found.find((line) => line.kind === 'missing');
      return missing?.kind === 'missing' ? missing.why.en : '';
    };
    expect(await why(garbage.file)).toContain('no card could be read');
    expect(await why(root.file)).toContain('wants more rights than this user has');
    expect(await why(join(folder, 'nowhere'))).toBe('nvidia-smi is gone');
  });

  test('one that disappears in mid-run leaves what it said before', async () => {
    const { file } = await tool(`cat <<'END'\n${table}END`);
    let removed = false;
    const found = await lines({ tools: [asTool(file)] }, (all) => {
      if (count(all, 'devices') === 2 && !removed) {
        removed = true;
        // Before the next beat, not while it begins.
        rmSync(file);
      }
      return count(all, 'missing') > 0;
    });
    expect(count(found, 'devices')).toBeGreaterThanOrEqual(2);
    expect(found.at(-1)).toMatchObject({ kind: 'missing', why: { en: 'nvidia-smi is gone' } });
  });

  test('a slow tool does not hold up the server’s metrics', async () => {
    const page = createServer((_, answer) =>
      answer.end('vllm:num_requests_running 3\nvllm:num_requests_waiting 1\n'),
    ).listen(0, '127.0.0.1');
    await new Promise((resolve) => {
      page.once('listening', resolve);
    });
    const { file } = await tool('sleep 300');
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/metrics`;
    const found = await lines({ tools: [asTool(file)], metricsUrls: [url] }, (all) => count(all, 'server') >= 5);
    page.close();
    page.closeAllConnections();
    expect(found.filter((line) => line.kind === 'server')[4]).toMatchObject({
      flavour: 'vllm',
      running: 3,
      waiting: 1,
    });
  });

  test('a tool that has said nothing by the end is told, and so is a host without tools', async () => {
    const { file } = await tool('sleep 300');
    const page = createServer((_, answer) => answer.end('vllm:num_requests_running 3\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => {
      page.once('listening', resolve);
    });
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/metrics`;
    const found = await lines({ tools: [asTool(file)], metricsUrls: [url] }, (all) => count(all, 'server') >= 2);
    page.close();
    page.closeAllConnections();
    expect(found.at(-1)).toMatchObject({
      kind: 'missing',
      why: { en: 'nvidia-smi had not answered when the run ended' },
    });
    expect((await lines({ tools: [] }, () => false))[1]).toMatchObject({
      why: { en: 'no device tool is on this host' },
    });
  });

  test('a guessed address that answers nothing is given up and told once', async () => {
    const found = await lines({ metricsUrls: ['http://127.0.0.1:9/metrics'], metricsGuessed: true }, () => false);
    expect(found.map((line) => line.kind)).toEqual(['start', 'missing']);
  });
});

test('a tool that prints without end is stopped', async () => {
  const { file } = await tool('yes');
  expect((await runTool(file, [], { timeoutMs: 60_000 })).outcome).toBe('too-long');
});

test('tools run in the C locale', async () => {
  const { file } = await tool('echo "$LC_ALL"');
  expect(
    (await runTool(file, [], { timeoutMs: 60_000, env: { PATH: process.env['PATH'], LC_ALL: 'zh_CN.UTF-8' } })).out,
  ).toBe('C\n');
});

test('tools are found on the path, and the better of two that show the same cards is taken', async () => {
  const { path } = await tool('true', 'rocm-smi');
  expect(findTools({ PATH: path }).map((found) => found.tool)).toEqual(['rocm-smi']);
  await writeFile(join(path, 'amd-smi'), '#!/bin/sh\n', { mode: 0o755 });
  expect(findTools({ PATH: path }).map((found) => found.tool)).toEqual(['amd-smi']);
  expect(findTools({ PATH: '' })).toEqual([]);
});
