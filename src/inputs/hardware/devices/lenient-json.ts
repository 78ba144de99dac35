/**
 * JSON with warning lines before it and, as hy-smi prints it, commas missing between members; null where even that fails.
 * Only a missing comma is mended: a cut-off document is not completed.
 */
export function lenientJson(text: string): unknown {
  const start = /^[ \t]*[[{]/m.exec(text);
  if (start === null) return null;
  const body = text.slice(start.index).trim();
  const end = Math.max(body.lastIndexOf('}'), body.lastIndexOf(']'));
  const whole = body.slice(0, end + 1);
  for (const candidate of [body, whole, withCommas(whole)]) {
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // The next candidate is less strict.
    }
  }
  return null;
}

/** A comma between a value that ends and a key or object that begins right after it. */
function withCommas(text: string): string {
  return text.replaceAll(/(["}\]\d])(\s*)(?="[^"\n]*"\s*:)/g, '$1,$2').replaceAll(/\}(\s*)\{/g, '},$1{');
}
