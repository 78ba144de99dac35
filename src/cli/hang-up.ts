import { closeSync, readFileSync, readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';

const streams = [0, 1, 2];

/**
 * Whether this process was started by `nohup`, to outlive its terminal. Node takes back the ignored signal that it was left with, so
 * what else `nohup` leaves tells it: its name in `_`, as shells set it, or a stdin that cannot be read, as GNU's opens in place of a terminal.
 */
export function outlivesTerminal(
  env: Readonly<Record<string, string | undefined>>,
  stdin: { target: string; flags: string } | null = openedStdin(),
): boolean {
  if (/(?:^|\/)nohup$/.test(env['_'] ?? '')) return true;
  const writeOnly = 1;
  return stdin?.target === '/dev/null' && (Number.parseInt(stdin.flags, 8) & 3) === writeOnly;
}

/** Where stdin leads and how it was opened, where the system tells. */
function openedStdin(): { target: string; flags: string } | null {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8'))?.[1];
    return flags === undefined ? null : { target: readlinkSync('/proc/self/fd/0'), flags };
  } catch {
    return null;
  }
}

/**
 * Lets this process end by its own exit code where its terminal has gone away: as it exits Node puts every terminal that it began with
 * back into its old state, and ends by a signal where there is none any more. Streams that are closed it leaves alone.
 */
export function leaveGoneTerminals(): void {
  const begun = streams.filter((fd) => isatty(fd));
  process.on('exit', () => {
    for (const fd of begun) if (!isatty(fd)) closeSync(fd);
  });
}
