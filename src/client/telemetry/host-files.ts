import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/** /proc and /sys as somebody reads them; tests and containers hand in their own. null = not there, or not for us. */
export interface HostFiles {
  read(path: string): string | null;
  list(path: string): string[] | null;
}

const mostBytes = 1024 * 1024;

/** The files of this host. Reads only, and never more than a MiB of one. */
export function hostFiles(): HostFiles {
  return {
    read(path) {
      try {
        const handle = openSync(path, 'r');
        try {
          const buffer = Buffer.alloc(mostBytes);
          let length = 0;
          for (let got = 1; got > 0 && length < mostBytes; length += got)
            got = readSync(handle, buffer, length, mostBytes - length, null);
          return buffer.toString('utf8', 0, length);
        } finally {
          closeSync(handle);
        }
      } catch {
        return null;
      }
    },
    list(path) {
      try {
        return readdirSync(path);
      } catch {
        return null;
      }
    },
  };
}
