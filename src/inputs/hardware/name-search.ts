/** A name with the spelling taken out: case, spaces, underscores, an owner before a slash, a vendor's word. */
export function nameKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replaceAll(/\b(nvidia|geforce|huawei|ascend|metax)\b/g, '')
    .replaceAll(/[\s_-]+/g, '')
    .replaceAll(/gib?$|gb$/g, 'g');
}

/** At most five of the known names that share most letter pairs with this one. */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = pairs(nameKey(name));
  return known
    .map((candidate) => ({ candidate, likeness: likeness(wanted, pairs(nameKey(candidate))) }))
    .filter((scored) => scored.likeness > 0.25)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, 5)
    .map((scored) => scored.candidate);
}

function pairs(text: string): Set<string> {
  const short = text.slice(0, 80);
  return new Set(Array.from({ length: Math.max(0, short.length - 1) }, (_, i) => short.slice(i, i + 2)));
}

function likeness(a: Set<string>, b: Set<string>): number {
  const both = [...a].filter((pair) => b.has(pair)).length;
  return (2 * both) / Math.max(1, a.size + b.size);
}
