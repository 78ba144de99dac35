import { systemCode } from './store-error.ts';

/** What file systems say that cannot be asked to put a file on disk at once (some of FUSE and of networks). */
const cannotSync: ReadonlySet<string> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Waits until a file is on disk, where its file system knows how; elsewhere it gets there when the system likes. */
export async function syncFile(handle: { sync(): Promise<void> }): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (!cannotSync.has(systemCode(error) ?? '')) throw error;
  }
}
