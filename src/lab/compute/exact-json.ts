/** JSON that brings back every number as it was: JSON itself has no word for infinities, NaN and −0. */
export function toExactJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'number' && (!Number.isFinite(one) || Object.is(one, -0)) ? { [mark]: wordOf(one) } : one,
  );
}

/** What toExactJson wrote. */
export function fromExactJson(text: string): unknown {
  return JSON.parse(text, (_, one: unknown) => {
    const word = typeof one === 'object' && one !== null && Object.hasOwn(one, mark) ? (one as Marked)[mark] : null;
    return word === null ? one : Number(word);
  });
}

const mark = '$number';

interface Marked {
  [mark]: string;
}

function wordOf(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
