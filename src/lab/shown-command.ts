import { hiddenValue, keptUrl } from '../core/index.ts';

/** Flags whose value may be a secret, here and in the tools that `dyno as` takes the words of; some take several values. */
const secretFlags = new Set(['--header', '--headers', '--body', '--extra-body']);
/** What ends the name of a flag whose value is a secret in any tool. */
const secretEnd = /-(?:api-?key|auth|authorization|password|passwd|secret|token|credentials?)$/i;

/** The command line as plan.json may show it: what may hold a secret is hidden. */
export function shownCommand(argv: readonly string[]): string[] {
  let hiding = false;
  return ['dyno', ...argv].map((word) => {
    const flag = word.split('=', 1)[0]!;
    if (word.startsWith('-')) {
      hiding = secretFlags.has(flag) || secretEnd.test(flag);
      if (!word.includes('=')) return word;
      return hiding ? `${flag}=${hiddenValue}` : `${flag}=${keptWord(word.slice(flag.length + 1))}`;
    }
    return hiding ? hiddenValue : keptWord(word);
  });
}

function keptWord(word: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? keptUrl(word) : word;
}
