import { printable } from '../core/index.ts';

const mostNamed = 3;

/** Files as they were typed, for a sentence about them. */
export function namedFiles(words: readonly string[]): string {
  const named = words.slice(0, mostNamed).map((word) => printable(word));
  return `${named.join(', ')}${words.length > mostNamed ? ' …' : ''}`;
}
