import type { SettingValue } from './setting.ts';

type Step = string | number;

/** `a.b[0].c` as steps; null = it cannot be read. A key with dots is written in quotes: `a."b.c"`. */
export function parsePath(path: string): Step[] | null {
  const steps: Step[] = [];
  const part = /\.?(?:"([^"]+)"|([^.[\]"]+))|\[(\d+)\]/y;
  let at = 0;
  while (at < path.length) {
    part.lastIndex = at;
    const found = part.exec(path);
    if (found === null) return null;
    const key = found[1] ?? found[2];
    if (key === '__proto__') return null;
    steps.push(key ?? Number(found[3]));
    at = part.lastIndex;
  }
  return steps.length === 0 ? null : steps;
}

/** What stands at a path; undefined = nothing does. */
export function valueAt(document: unknown, path: string): unknown {
  let node: unknown = document;
  for (const step of parsePath(path) ?? ['']) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
    node = (node as Record<Step, unknown>)[step];
  }
  return node;
}

/** Puts a value at a path, making objects on the way where asked; false = the path leads nowhere. */
export function putAt(document: unknown, path: string, value: SettingValue, create: boolean): boolean {
  const steps = parsePath(path);
  if (steps === null) return false;
  let node = document;
  for (const [i, step] of steps.entries()) {
    if (typeof node !== 'object' || node === null) return false;
    const here = node as Record<Step, unknown>;
    const last = i === steps.length - 1;
    if (!Object.hasOwn(here, step) && !create) return false;
    if (last) here[step] = value;
    else if (!Object.hasOwn(here, step)) here[step] = typeof steps[i + 1] === 'number' ? [] : {};
    node = here[step];
  }
  return true;
}

/** The indent of a JSON text, for writing it back as it was. */
export function indentOf(text: string): string {
  return /^[{[]\s*?\n([ \t]+)/.exec(text)?.[1] ?? '  ';
}
