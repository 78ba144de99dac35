import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Opens an address that holds a secret in the browser, by a file that only this user can read: every user of the host
 * sees the words a process was started with. Returns how to take the file away.
 */
export function openPrivately(url: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'dyno-open-'));
  const file = join(folder, 'open.html');
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`, { mode: 0o600 });
  const place = pathToFileURL(file).href;
  const openers: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ['open', [place]],
    win32: ['cmd', ['/c', 'start', '', place.replaceAll('&', '^&')]],
  };
  const [program, args] = openers[process.platform] ?? ['xdg-open', [place]];
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  // The address is printed: whoever has no opener opens it by hand.
  child.once('error', () => {});
  child.unref();
  return () => rmSync(folder, { recursive: true, force: true });
}
