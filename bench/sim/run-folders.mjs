// Stored runs out of a folder or an archive, as a fit reads them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Every run folder under `path` (a folder, or a tar archive of one), with its summary. */
export function runFolders(path, measuredRun) {
  if (statSync(path).isDirectory()) return readFolders(path, measuredRun);
  const folder = mkdtempSync(join(tmpdir(), 'llmdyno-runs-'));
  try {
    execFileSync('tar', ['-xf', path, '-C', folder]);
    return readFolders(folder, measuredRun);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readFolders(folder, measuredRun) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('exchanges.ndjson'))
    .map((file) => join(folder, file, '..'))
    .sort()
    .flatMap((dir) => {
      const json = (name) => JSON.parse(readFileSync(join(dir, name), 'utf8'));
      const { plan } = json('plan.json');
      const lines = readFileSync(join(dir, 'exchanges.ndjson'), 'utf8').split('\n').filter(Boolean);
      const name = plan.label ?? dir.split('/').at(-1);
      const run = measuredRun(
        name,
        plan.load,
        lines.map((line) => JSON.parse(line)),
        countersOf(dir),
      );
      return run === null ? [] : [{ ...run, summary: json('summary.json') }];
    });
}

/** What the server's own pages, kept before and after a run, say of it. */
function countersOf(dir) {
  const [before, after] = ['before', 'after'].map((when) => join(dir, `metrics-${when}.prom.gz`));
  if (!existsSync(before) || !existsSync(after)) return null;
  const pages = [before, after].map((file) => gunzipSync(readFileSync(file)).toString());
  const grown = (series) => {
    const [from, to] = pages.map((page) => new RegExp(`^${series}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(page)?.[1]);
    return from === undefined || to === undefined ? null : Number(to) - Number(from);
  };
  const ms = (seconds) => (seconds === null || Number.isNaN(seconds) ? null : 1000 * seconds);
  const mean = (name) => ms(grown(`vllm:${name}_seconds_sum`) / grown(`vllm:${name}_seconds_count`));
  return {
    cpuMs: ms(grown('process_cpu_seconds_total')),
    steps: grown('vllm:iteration_tokens_total_count'),
    tpotMs: mean('inter_token_latency'),
    prefillMs: mean('request_prefill_time'),
  };
}
