import { expect, test } from 'vitest';
import { syncFile } from './sync-file.ts';

const saying = (code: string): { sync(): Promise<void> } => ({
  sync: () => Promise.reject(Object.assign(new Error(code), { code })),
});

test('a file system that cannot sync is no reason to lose a run; one that fails is', async () => {
  for (const code of ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']) await syncFile(saying(code));
  for (const code of ['EIO', 'ENOSPC', 'EDQUOT']) await expect(syncFile(saying(code))).rejects.toMatchObject({ code });
});
