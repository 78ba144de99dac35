const numbers = /-?\d[\d,]*(?:\.\d+)?/g;

/**
 * Whether an answer gives the number it should: the one behind `####` where it writes so, else inside \boxed{…}, else the
 * last number of the text. Compared as numbers, so 7, 7.0 and 7,000/1000-style commas do not matter. null = no number.
 */
export function answersNumber(reference: string, answer: string): boolean | null {
  const wanted = valueOf(reference);
  if (wanted === null) return null;
  const marked = answer.split('####').at(-1) ?? '';
  const boxed = /\\boxed\{([^{}]*)\}/.exec(answer)?.[1];
  const found = answer.includes('####') ? marked.match(numbers)?.[0] : (boxed ?? answer).match(numbers)?.at(-1);
  return found !== undefined && valueOf(found) === wanted;
}

function valueOf(text: string): number | null {
  const value = Number(text.replaceAll(',', ''));
  return text.trim() === '' || Number.isNaN(value) ? null : value;
}
