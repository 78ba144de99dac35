import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A process told apart from a later one that was given the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** When it began, in the system's own words; null = it could not be read, so it is never taken for ours. */
  began: string | null;
}

/** Who has this pid now; began null where nobody does. */
export async function identityOf(pid: number): Promise<ProcessIdentity> {
  return { pid, began: await beganOf(pid) };
}

/** Whether the process that was seen then is still there, and is that very one. */
export async function isSameProcess(then: ProcessIdentity): Promise<boolean> {
  return then.began !== null && (await beganOf(then.pid)) === then.began;
}

async function beganOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; the 20th field behind it is the start in clock ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    // A zombie has ended; it only waits to be counted.
    return fields[0] === 'Z' || fields[19] === undefined ? null : `${boot.trim()} ${fields[19]}`;
  } catch {
    return process.platform === 'linux' ? null : psBegan(pid);
  }
}

function psBegan(pid: number): Promise<string | null> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, out) => {
      resolve(error === null && out.trim() !== '' ? out.trim() : null);
    });
  });
}
