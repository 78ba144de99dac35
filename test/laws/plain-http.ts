/**
 * A second reader of one HTTP/1.1 answer, for tests: written from RFC 9112 with whole strings and no state, so that it
 * shares nothing with src/client/load/http-reader.ts but what both must mean. It takes bytes as latin1 text.
 */
export type PlainAnswer =
  | { verdict: 'whole'; status: number; body: string; reusable: boolean; stray: boolean }
  /** Whole only once the peer closes. */
  | { verdict: 'open'; status: number; body: string }
  | { verdict: 'more' }
  | { verdict: 'bad'; why: string };

const letters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const isToken = (text: string): boolean => text !== '' && [...text].every((letter) => letters.includes(letter));
const isFieldText = (text: string): boolean =>
  [...text].every((letter) => letter === '\t' || (letter >= ' ' && letter !== '\u007f'));
const isDigits = (text: string): boolean => text !== '' && [...text].every((letter) => '0123456789'.includes(letter));
const isHex = (text: string): boolean =>
  text !== '' && [...text].every((letter) => '0123456789abcdefABCDEF'.includes(letter));
const trimmed = (text: string): string => {
  let [from, to] = [0, text.length];
  while (from < to && ' \t'.includes(text[from]!)) from++;
  while (to > from && ' \t'.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
};
const bad = (why: string): PlainAnswer => ({ verdict: 'bad', why });

/** Largest head taken. */
const mostHead = 65_536;

export function plainHttp(text: string): PlainAnswer {
  const cut = text.indexOf('\r\n\r\n');
  if (cut === -1) return { verdict: 'more' };
  if (cut + 4 > mostHead) return bad('head too long');
  const [statusLine, ...lines] = text.slice(0, cut).split('\r\n') as [string, ...string[]];
  const rest = text.slice(cut + 4);
  const minor = statusLine[7];
  if (!statusLine.startsWith('HTTP/1.') || (minor !== '0' && minor !== '1') || statusLine[8] !== ' ')
    return bad('version');
  const code = statusLine.slice(9, 12);
  if (!isDigits(code) || code.length !== 3 || code < '100' || code > '599') return bad('status');
  const reason = statusLine.slice(12);
  if (reason !== '' && !reason.startsWith(' ')) return bad('reason');
  // A reason may hold any byte above the control characters, DEL among them: nobody reads it.
  if ([...reason].some((letter) => letter < ' ' && letter !== '\t')) return bad('reason');
  const fields: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon === -1 || !isToken(line.slice(0, colon)) || !isFieldText(line.slice(colon + 1))) return bad('field');
    fields.push([line.slice(0, colon).toLowerCase(), trimmed(line.slice(colon + 1))]);
  }
  const all = (name: string): string[] => fields.filter(([each]) => each === name).map(([, value]) => value);
  const status = Number(code);
  if (status === 101) return bad('switch');
  if (status < 200) return plainHttp(rest);
  const lengths = all('content-length');
  const codings = all('transfer-encoding');
  const options = all('connection').join(', ').toLowerCase();
  const names = options.split(/[^a-z0-9_]+/);
  const persistent =
    minor === '1'
      ? !names.includes('close')
      : new RegExp('(^|[^a-z0-9_])keep-alive($|[^a-z0-9_])').test(options) && codings.length === 0;
  const whole = (body: string, left: string): PlainAnswer => ({
    verdict: 'whole',
    status,
    body,
    reusable: persistent,
    stray: left !== '',
  });
  if (status === 204 || status === 304) return whole('', rest);
  if (codings.length > 0) {
    if (lengths.length > 0) return bad('both');
    if (codings.length > 1 || codings[0]!.toLowerCase() !== 'chunked') return bad('coding');
    return unchunked(rest, whole);
  }
  if (lengths.length === 0) return { verdict: 'open', status, body: rest };
  if (lengths.length > 1 || !isDigits(lengths[0]!) || lengths[0]!.length > 15) return bad('length');
  const length = Number(lengths[0]);
  return rest.length < length ? { verdict: 'more' } : whole(rest.slice(0, length), rest.slice(length));
}

function unchunked(text: string, whole: (body: string, left: string) => PlainAnswer): PlainAnswer {
  let body = '';
  let left = text;
  for (;;) {
    const end = left.indexOf('\n');
    if (end === -1) return { verdict: 'more' };
    const line = left.slice(0, end);
    if (!line.endsWith('\r')) return bad('bare LF');
    if (line.endsWith(' \r') || line.endsWith('\t\r')) return bad('blank at the end of a size');
    const [size, ...extensions] = splitOutsideQuotes(line.slice(0, -1));
    const digits = extensions.length > 0 ? size!.replace(/[ \t]+$/, '') : size!;
    if (!isHex(digits) || digits.length > 12) return bad('size');
    if (!extensions.every(isExtension)) return bad('extension');
    left = left.slice(end + 1);
    const length = Number(`0x${digits}`);
    if (length === 0) break;
    if (left.length < length + 2) {
      return {
        verdict: left.length > length && left[length] !== '\r' ? 'bad' : 'more',
        why: 'long chunk',
      } as PlainAnswer;
    }
    if (left.slice(length, length + 2) !== '\r\n') return bad('long chunk');
    body += left.slice(0, length);
    left = left.slice(length + 2);
  }
  for (;;) {
    const end = left.indexOf('\n');
    if (end === -1) return { verdict: 'more' };
    const line = left.slice(0, end);
    left = left.slice(end + 1);
    if (!line.endsWith('\r')) return bad('bare LF');
    if (line === '\r') return whole(body, left);
    const colon = line.indexOf(':');
    if (colon === -1 || !isToken(line.slice(0, colon)) || !isFieldText(line.slice(colon + 1, -1)))
      return bad('trailer');
  }
}

function splitOutsideQuotes(line: string): string[] {
  const parts = [''];
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const letter = line[i]!;
    if (letter === ';' && !quoted) {
      parts.push('');
      continue;
    }
    if (quoted && letter === '\\') parts[parts.length - 1]! += line[i++]!;
    else if (letter === '"') quoted = !quoted;
    parts[parts.length - 1]! += line[i] ?? '';
  }
  return parts;
}

function isExtension(part: string): boolean {
  const equals = part.indexOf('=');
  if (equals === -1) return isToken(part.replace(/^[ \t]+/, '').replace(/[ \t]+$/, ''));
  const name = trimmed(part.slice(0, equals));
  const value = trimmed(part.slice(equals + 1));
  if (!isToken(name)) return false;
  if (isToken(value)) return true;
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return false;
  const inside = value.slice(1, -1);
  for (let i = 0; i < inside.length; i++) {
    if (inside[i] === '"') return false;
    if (inside[i] === '\\' && ++i === inside.length) return false;
    if (!isFieldText(inside[i]!)) return false;
  }
  return true;
}
