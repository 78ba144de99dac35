import { hiddenValue } from '../core/index.ts';

/** Flags whose value may be a secret, here and in the tools that `dyno as` takes the words of; some take several values. */
const secretFlags = new Set([
  '--header',
  '--headers',
  '--body',
  '--api-key',
  '--wandb-api-key',
  '--swanlab-api-key',
  '--extra-body',
]);

/** The command line as plan.json may show it: what may hold a secret is hidden. */
export function shownCommand(argv: readonly string[]): string[] {
  let hiding = false;
  return ['dyno', ...argv].map((word) => {
    const flag = word.split('=', 1)[0]!;
    if (word.startsWith('-')) {
      hiding = secretFlags.has(flag);
      return hiding && word.includes('=') ? `${flag}=${hiddenValue}` : word;
    }
    return hiding ? hiddenValue : word;
  });
}
