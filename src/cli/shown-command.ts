import { hiddenValue } from '../core/index.ts';

const secretFlags = new Set(['--header', '--body']);

/** The command line as plan.json may show it: what may hold a secret is hidden. */
export function shownCommand(argv: readonly string[]): string[] {
  return ['dyno', ...argv].map((word, at, words) => {
    const flag = word.split('=', 1)[0]!;
    if (secretFlags.has(flag) && word.includes('=')) return `${flag}=${hiddenValue}`;
    return at > 0 && secretFlags.has(words[at - 1]!) ? hiddenValue : word;
  });
}
