import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { userError, UserError } from '../../core/index.ts';
import { identityOf, isSameProcess } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { systemCode, telling } from './store-error.ts';
import { storeModes } from './store-modes.ts';

/** Who is measuring into a folder. */
export interface LockHolder extends ProcessIdentity {
  host: string;
  /** ISO 8601 wall time. */
  since: string;
}

/** A folder that is held by this process. */
export interface FolderLock {
  /** Who held it before and is gone; null = nobody. */
  tookOverFrom: LockHolder | null;
  release(): Promise<void>;
}

const fileName = 'lock.json';

/**
 * Holds a run's or sweep's folder for this process until it is released. A folder that another living process holds is refused;
 * a lock whose process is gone is taken over. A process of another host cannot be looked up: its lock counts as held.
 */
export async function lockFolder(dir: string): Promise<FolderLock> {
  const file = join(dir, fileName);
  const holder: LockHolder = {
    ...(await identityOf(process.pid)),
    host: hostname(),
    since: new Date().toISOString(),
  };
  const own = `${file}.${process.pid}`;
  await telling(dir, () => writeFile(own, JSON.stringify(holder), { mode: storeModes().file }));
  let tookOverFrom: LockHolder | null = null;
  try {
    while (!(await linked(own, file))) {
      const other = await readHolder(file);
      if (other !== null && (await isHeldBy(other))) throw isHeld(dir, other);
      // Of several that find the same dead lock one moves it away; the others find it gone and try again.
      const stale = `${file}.${process.pid}.stale`;
      if (await moved(file, stale)) {
        const taken = await readHolder(stale);
        // Between the look and the move somebody else may have taken it over: theirs goes back, and they are told of.
        if (taken !== null && (await isHeldBy(taken))) {
          await linked(stale, file);
          await rm(stale, { force: true });
          throw isHeld(dir, taken);
        }
        tookOverFrom = other;
        await rm(stale, { force: true });
      }
    }
  } finally {
    await rm(own, { force: true });
  }
  return { tookOverFrom, release: () => rm(file, { force: true }) };
}

/** The living process that holds a folder; null = nobody does. */
export async function holderOf(dir: string): Promise<LockHolder | null> {
  const holder = await readHolder(join(dir, fileName));
  return holder !== null && (await isHeldBy(holder)) ? holder : null;
}

async function isHeldBy(holder: LockHolder): Promise<boolean> {
  return holder.host === hostname() ? isSameProcess(holder) : true;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    // A file system without hard links: made only where it is not there yet.
    return writeFile(to, await readFile(from), { flag: 'wx' }).then(
      () => true,
      (failure: unknown) => {
        if (systemCode(failure) === 'EEXIST') return false;
        throw failure;
      },
    );
  }
}

async function moved(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

async function readHolder(file: string): Promise<LockHolder | null> {
  try {
    const { pid, began, host, since } = JSON.parse(await readFile(file, 'utf8')) as Partial<LockHolder>;
    if (!Number.isSafeInteger(pid) || typeof host !== 'string' || typeof since !== 'string') return null;
    return { pid: pid!, began: typeof began === 'string' ? began : null, host, since };
  } catch {
    return null;
  }
}

function isHeld(dir: string, { pid, host, since }: LockHolder): UserError {
  const elsewhere = host === hostname() ? '' : ` on ${host}`;
  const zhElsewhere = host === hostname() ? '' : `${host} 上的`;
  return userError(
    'run-held',
    `process ${pid}${elsewhere} is measuring into it since ${since}`,
    `${zhElsewhere}进程 ${pid} 自 ${since} 起正在写入`,
    `Wait for it or stop it (Ctrl-C there, or dyno ui). If that process is surely gone, remove ${join(dir, fileName)}.`,
    `请等待其结束或停止它（在其终端按 Ctrl-C，或使用 dyno ui）。如确认该进程已不存在，请删除 ${join(dir, fileName)}。`,
    { file: dir },
  );
}
