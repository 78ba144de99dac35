import { planSettings, readPlanFile, readSettings } from '../lab/index.ts';
import type { PlanSettings, Vocabulary, SettingsOf } from '../lab/index.ts';
import { typedSettings } from './command.ts';
import type { ParsedCommand } from './command.ts';

/**
 * What a command that needs a plan was told: a URL or a plan file first, then flags; flags win over the file. `otherwise` is
 * the address where none is said; null = one has to be.
 */
export function readPlanInput<V extends Vocabulary>(
  given: Pick<ParsedCommand, 'args' | 'flags'>,
  more: V,
  otherwise: string | null = null,
): PlanSettings & { url: string } & SettingsOf<V> {
  const [first] = given.args;
  const fromFlags = typedSettings(given, { ...planSettings, ...more });
  if (first === undefined) return readSettings(fromFlags, more, otherwise);
  const fromFirst = isPlanFile(first) ? readPlanFile(first) : [{ name: 'url', texts: [first], place: {} }];
  return readSettings([...fromFirst, ...fromFlags], more, otherwise);
}

function isPlanFile(word: string): boolean {
  return /\.(ya?ml|json)$/i.test(word) && !/^https?:\/\//i.test(word);
}
