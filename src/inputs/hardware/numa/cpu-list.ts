/** The CPUs of a list such as `0-3,8,10-11`; null where it is no such list. */
export function parseCpuList(text: string): number[] | null {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const cpus: number[] = [];
  for (const part of trimmed.split(',')) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim());
    if (match === null) return null;
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    if (to < from) return null;
    for (let cpu = from; cpu <= to; cpu++) cpus.push(cpu);
  }
  return cpus;
}

/** A list of CPUs written as short as possible: `0-3,8`. */
export function formatCpuList(cpus: readonly number[]): string {
  const sorted = [...new Set(cpus)].toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    let end = at;
    while (sorted[end + 1] === sorted[end]! + 1) end++;
    parts.push(end === at ? `${sorted[at]}` : `${sorted[at]}-${sorted[end]}`);
    at = end + 1;
  }
  return parts.join(',');
}
