import type { HostFiles } from '../../client/telemetry/index.ts';

/** `head -v` and `tail` write the first, people who paste a terminal the second. */
const heads = [/^==> (\/\S+) <==\s*$/, /^(?:(?:\[[^\]]*\]|\S*)[$#>] )?cat (\/\S+)\s*$/];

/** Files of one line: whatever follows is another tool's output. */
const single = /^\/(?:proc\/sys|sys\/kernel|sys\/devices)\//;

/** The files of /proc and /sys that a captured text holds, and nothing of this machine. */
export function capturedFiles(text: string): HostFiles {
  const files = new Map<string, string[]>();
  let open: string[] | null = null;
  let current = '';
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const path = heads.map((head) => head.exec(line)?.[1]).find((found) => found !== undefined);
    if (path !== undefined) {
      open = [];
      files.set(path, open);
      current = path;
    } else if (line.trim() === '' || /^(?:\[[^\]]*\]|\S*)[$#] \S/.test(line)) open = null;
    else if (open !== null) {
      open.push(line);
      if (single.test(current)) open = null;
    }
  }
  return {
    read: (path) => files.get(path)?.join('\n') ?? null,
    list: (folder) => {
      const below = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
      const names = new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0]!));
      return names.size === 0 ? null : [...names];
    },
  };
}
