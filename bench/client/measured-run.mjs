// One command on one core with a limit: its exit, CPU seconds (with every process it waited for) and the largest sum of
// resident memory of its process tree. Linux only: /proc, taskset, bash's `time`.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const PAGE_BYTES = 4096;
const SAMPLE_MS = 500;

function tree(root) {
  const children = new Map();
  const pages = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The command's name may hold spaces and brackets: what counts begins after the last one.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      children.set(fields[1], [...(children.get(fields[1]) ?? []), name]);
      pages.set(name, Number(fields[21]));
    } catch {
      // It ended between the listing and the look.
    }
  }
  const found = [String(root)];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return { pids: found, bytes: found.reduce((sum, pid) => sum + (pages.get(pid) ?? 0), 0) * PAGE_BYTES };
}

/** Runs `command args` on `core`; resolves to how it ended and what it took. */
export function measuredRun(command, args, { core, timeoutMs, cwd, env }) {
  const script = 'TIMEFORMAT="cpu-seconds %3U %3S"; time taskset -c "$0" "$@"';
  const child = spawn('bash', ['-c', script, String(core), command, ...args], {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', (piece) => {
      text[name] += piece;
    });
  let bytesMax = 0;
  const sampling = setInterval(() => {
    bytesMax = Math.max(bytesMax, tree(child.pid).bytes);
  }, SAMPLE_MS);
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    const { pid: leader = 0 } = child;
    if (leader === 0) return;
    for (const pid of [...tree(leader).pids.map(Number), -leader]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Already gone.
      }
    }
  }, timeoutMs);
  return new Promise((resolve) => {
    child.once('close', (status) => {
      clearInterval(sampling);
      clearTimeout(limit);
      const cpu = /cpu-seconds ([\d.]+) ([\d.]+)\s*$/.exec(text.stderr);
      resolve({
        ...text,
        status,
        timedOut,
        cpuSec: cpu && Number(cpu[1]) + Number(cpu[2]),
        rssMB: bytesMax > 0 ? bytesMax / 1048576 : null,
      });
    });
  });
}
