import { printable } from '../core/index.ts';

const mostNamed = 3;

/** Files as they were typed, for a sentence about them. */
export function namedFiles(files: readonly string[]): string {
  const named = files.slice(0, mostNamed).map(printable);
  return `${named.join(', ')}${files.length > mostNamed ? ' …' : ''}`;
}
