/** Whether a value read from JSON is an object; an array is none. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a text says in JSON; undefined where it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The members of a value read from JSON; none where it is no object. */
export function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
