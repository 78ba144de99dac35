import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpReader, HttpSyntaxError } from './http-reader.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');

interface Read {
  status: number | null;
  body: string;
  end: boolean | null;
}

/** Reads one response from bytes cut at the given places, then the peer closes. */
function read(text: string, cuts: readonly number[] = []): Read & { closed: boolean } {
  const reader = new HttpReader();
  const seen: Read = { status: null, body: '', end: null };
  reader.expect({
    head: (head) => (seen.status = head.status),
    chunk: (_, from) => from,
    body: (bytes) => (seen.body += Buffer.from(bytes).toString('latin1')),
    end: (reusable) => (seen.end = reusable),
  });
  const bytes = bytesOf(text);
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    // As from a socket: the reader may rearrange the buffer, and behind the read lie bytes of an earlier one.
    const buffer = new Uint8Array(Math.max(0, cut - from) + 16).fill(10);
    buffer.set(bytes.subarray(from, cut));
    if (cut > from) reader.push(buffer, cut - from);
    from = Math.max(from, cut);
  }
  return { ...seen, closed: reader.close(), end: seen.end };
}

const head = (more: string): string => `HTTP/1.1 200 OK\r\n${more}\r\n`;

describe('chunks that are taken where they stand', () => {
  test('and what is handed on make up the body, in order, however the bytes are cut and whatever is taken', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 9 }), { maxLength: 8 }),
        fc.array(fc.nat(120), { maxLength: 5 }),
        fc.infiniteStream(fc.nat(9)),
        (chunks, cuts, appetites) => {
          const parts = chunks.map((text) => Buffer.from(text).toString('latin1'));
          const text =
            head('Transfer-Encoding: chunked\r\n') +
            parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('') +
            '0\r\n\r\n';
          let body = '';
          let reminded = true;
          const reader = new HttpReader();
          const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
          reader.expect({
            head: () => {},
            chunk: (buffer, from, to) => {
              const taken = Math.min(to, from + appetites.next().value);
              body += latin1(buffer.slice(from, taken));
              if (taken > from) reminded = false;
              return taken;
            },
            body: (bytes) => {
              body += latin1(bytes);
              reminded = true;
            },
            // What was taken must have been told on before the answer ends.
            end: () => expect(reminded).toBe(true),
          });
          const bytes = bytesOf(text);
          let from = 0;
          for (const cut of [...cuts.filter((at) => at < bytes.length).toSorted((a, b) => a - b), bytes.length]) {
            if (cut > from) reader.push(bytes.slice(from, cut));
            expect(reminded).toBe(true);
            from = Math.max(from, cut);
          }
          expect(body).toBe(parts.join(''));
          expect(reader.idle).toBe(true);
        },
      ),
      { numRuns: 2000, seed: 3 },
    );
  });
});

describe('one HTTP/1.1 response', () => {
  test.each([
    ['a length', head('Content-Length: 5\r\n') + 'hello', 'hello', true],
    ['chunks', head('Transfer-Encoding: chunked\r\n') + '3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n', 'hello', true],
    ['chunks with trailers', head('Transfer-Encoding: chunked\r\n') + '5\r\nhello\r\n0\r\nA: b\r\n\r\n', 'hello', true],
    ['no body', head('Content-Length: 0\r\n'), '', true],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', '', true],
    ['Connection: close', head('Content-Length: 5\r\nConnection: close\r\n') + 'hello', 'hello', false],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'hello', false],
    ['100 Continue first', 'HTTP/1.1 100 Continue\r\n\r\n' + head('Content-Length: 5\r\n') + 'hello', 'hello', true],
    [
      'quoted extensions',
      head('Transfer-Encoding: chunked\r\n') + '5 ; a="x;\\"y" ; b\r\nhello\r\n0\r\n\r\n',
      'hello',
      true,
    ],
    [
      'chunks from a server of 1.0, which is not asked again',
      'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      'hello',
      false,
    ],
    ['no reason phrase', 'HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello', 'hello', true],
  ])('with %s', (_, text, body, reusable) => {
    expect(read(text)).toMatchObject({ status: text.includes('204') ? 204 : 200, body, end: reusable });
  });

  test('until close: the end of the connection is the end of the body', () => {
    const reader = new HttpReader();
    let end: boolean | null = null;
    let body = '';
    reader.expect({
      head: () => {},
      chunk: (_, from) => from,
      body: (bytes) => (body += Buffer.from(bytes).toString()),
      end: (reusable) => (end = reusable),
    });
    reader.push(bytesOf(head('') + 'hello'));
    expect(end).toBe(null);
    expect(reader.close()).toBe(true);
    expect([body, end]).toEqual(['hello', false]);
  });

  test('closed in the middle of anything else, it is cut off', () => {
    expect(read(head('Content-Length: 9\r\n') + 'hello').closed).toBe(false);
    expect(read(head('Transfer-Encoding: chunked\r\n') + '5\r\nhello\r\n').closed).toBe(false);
    expect(read('HTTP/1.1 200 OK\r\nContent').closed).toBe(false);
  });

  test.each([
    ['two lengths', head('Content-Length: 5\r\nContent-Length: 6\r\n') + 'hello'],
    ['the same length twice', head('Content-Length: 5\r\nContent-Length: 5\r\n') + 'hello'],
    ['length and chunks', head('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n') + 'hello'],
    ['a coding beside chunked', head('Transfer-Encoding: gzip, chunked\r\n')],
    ['a signed length', head('Content-Length: +5\r\n')],
    ['a hexadecimal length', head('Content-Length: 0x5\r\n')],
    ['bare LF', 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello'],
    ['a folded header', head('A: b\r\n c\r\n')],
    ['a blank before the colon', head('Content-Length : 5\r\n')],
    ['a NUL in a header', head('A: b\u0000c\r\n')],
    ['another protocol', 'ICY 200 OK\r\n\r\n'],
    ['HTTP/2 in the clear', 'HTTP/2 200\r\n\r\n'],
    ['status 99', 'HTTP/1.1 099 x\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\n\r\n'],
    ['an HTML page without a head', '<html>\r\n\r\n'],
    ['a chunk size with a minus', head('Transfer-Encoding: chunked\r\n') + '-5\r\nhello\r\n'],
    ['a chunk size with blanks', head('Transfer-Encoding: chunked\r\n') + ' 5\r\nhello\r\n'],
    ['a chunk longer than its size', head('Transfer-Encoding: chunked\r\n') + '3\r\nhello\r\n'],
    ['a chunk size without end', head('Transfer-Encoding: chunked\r\n') + '0'.repeat(9000)],
    ['a head without end', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`],
    ['two equal lengths in one line', head('Content-Length: 5, 5\r\n') + 'hello'],
    ['no length at all', head('Content-Length: \r\n') + 'hello'],
    ['a negative length', head('Content-Length: -1\r\n')],
    ['a length beyond counting', head('Content-Length: 99999999999999999999\r\n')],
    ['a length with a blank inside', head('Content-Length: 5 5\r\n')],
    ['chunked twice', head('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n')],
    ['chunked and something that looks like it', head('Transfer-Encoding: chunked, xchunked\r\n')],
    ['a coding that only ends in chunked', head('Transfer-Encoding: xchunked\r\n')],
    ['identity as a coding', head('Transfer-Encoding: identity\r\n')],
    ['chunks and a length hidden behind a bare LF', head('X: y\nContent-Length: 5\r\n')],
    ['a length hidden behind a bare CR', head('X: y\rContent-Length: 5\r\n')],
    ['a field that begins with a blank', 'HTTP/1.1 200 OK\r\n X: y\r\n\r\n'],
    ['a field folded with a tab', head('Transfer-Encoding:\r\n\tchunked\r\n')],
    ['a tab before the colon', head('Content-Length\t: 5\r\n')],
    ['a field without a name', head(': 5\r\n')],
    ['a field without a colon', head('Content-Length 5\r\n')],
    ['a NUL in a name', head('Content\u0000-Length: 5\r\n')],
    ['DEL in a value', head('A: \u007f\r\n')],
    ['two blanks before the status', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['a tab before the status', 'HTTP/1.1\t200 OK\r\n\r\n'],
    ['four digits of status', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['two digits of status', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a version of two digits', 'HTTP/1.10 200 OK\r\n\r\n'],
    ['a lower-case version', 'http/1.1 200 OK\r\n\r\n'],
    ['an empty line first', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    [
      'an answer split by what stands in a value',
      head('Content-Length: 0\r\nLocation: /\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n'),
    ],
    [
      'a body behind 100 Continue',
      'HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello' + head('Content-Length: 0\r\n'),
    ],
    ['a body behind 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello'],
    ['a body behind 304 that is chunked', 'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk size of 2 to the 64th', head('Transfer-Encoding: chunked\r\n') + '10000000000000005\r\nhello\r\n'],
    ['a chunk size with 0x', head('Transfer-Encoding: chunked\r\n') + '0x5\r\nhello\r\n'],
    ['a chunk size ended by a bare LF', head('Transfer-Encoding: chunked\r\n') + '5\nhello\r\n'],
    ['a chunk size ended by a bare CR', head('Transfer-Encoding: chunked\r\n') + '5\rhello\r\n0\r\n\r\n'],
    ['a chunk size with a blank behind it', head('Transfer-Encoding: chunked\r\n') + '5 \r\nhello\r\n'],
    ['an empty chunk size', head('Transfer-Encoding: chunked\r\n') + '\r\nhello\r\n'],
    ['an extension without a name', head('Transfer-Encoding: chunked\r\n') + '5;\r\nhello\r\n'],
    ['an extension with a NUL', head('Transfer-Encoding: chunked\r\n') + '5;a="\u0000"\r\nhello\r\n'],
    ['an extension ended by a bare LF', head('Transfer-Encoding: chunked\r\n') + '5;a\nhello\r\n'],
    ['an extension whose quotes are open', head('Transfer-Encoding: chunked\r\n') + '5;a="b\r\nhello\r\n'],
    ['a chunk ended by a bare LF', head('Transfer-Encoding: chunked\r\n') + '5\r\nhello\n0\r\n\r\n'],
    ['a trailer that is no field', head('Transfer-Encoding: chunked\r\n') + '0\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['a trailer ended by a bare LF', head('Transfer-Encoding: chunked\r\n') + '0\r\nA: b\n\r\n'],
    ['a folded trailer', head('Transfer-Encoding: chunked\r\n') + '0\r\nA: b\r\n c\r\n\r\n'],
    ['trailers without end', head('Transfer-Encoding: chunked\r\n') + '0\r\n' + 'A: b\r\n'.repeat(5000)],
    ['a second response behind the first', head('Content-Length: 5\r\n') + 'hello' + head('Content-Length: 0\r\n')],
  ])('refuses %s', (_, text) => {
    expect(() => read(text)).toThrow(HttpSyntaxError);
  });

  test('reads the same wherever it is cut', () => {
    const texts = [
      head('Content-Length: 11\r\nX: y\r\n') + 'hello world',
      head('Transfer-Encoding: chunked\r\n') + 'A\r\n0123456789\r\n1\r\nx\r\n0\r\nT: u\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n' + head('Content-Length: 2\r\n') + '\r\n',
    ];
    for (const text of texts) {
      const whole = read(text);
      fc.assert(
        fc.property(fc.array(fc.nat(text.length - 1), { maxLength: 30 }), (cuts) => {
          expect(read(text, cuts)).toEqual(whole);
        }),
        { numRuns: 300, seed: 7 },
      );
    }
  });

  test('changed at random it is read, refused, or left unfinished, but never crashes or gives more than was sent', () => {
    const text = head('Transfer-Encoding: chunked\r\n') + '5\r\nhello\r\n0\r\n\r\n';
    const change = fc.record({ at: fc.nat(text.length - 1), with: fc.uint8Array({ maxLength: 3 }) });
    const numRuns = process.env['LLMDYNO_LONG'] === '1' ? 1_000_000 : 5000;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let mutated = text;
        for (const { at, with: bytes } of changes) {
          mutated = mutated.slice(0, at) + Buffer.from(bytes).toString('latin1') + mutated.slice(at + 1);
        }
        try {
          expect(read(mutated).body.length).toBeLessThanOrEqual(mutated.length);
        } catch (error) {
          expect(error).toBeInstanceOf(HttpSyntaxError);
        }
      }),
      { numRuns, seed: 7 },
    );
  }, 3_600_000);
});

describe('a head that does not end', () => {
  const announced = (times: number): string =>
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(times) + head('Content-Length: 0\r\n');

  test('a few announcements precede an answer; announcements without end are refused', () => {
    expect(read(announced(32))).toMatchObject({ status: 200, end: true });
    expect(() => read(announced(33))).toThrow(HttpSyntaxError);
  });

  test('announcements are counted for each answer by itself', () => {
    const reader = new HttpReader();
    for (let answer = 0; answer < 5; answer++) {
      let ended = false;
      reader.expect({ head: () => {}, chunk: (_, from) => from, body: () => {}, end: () => (ended = true) });
      reader.push(bytesOf(announced(20)));
      expect(ended).toBe(true);
    }
  });

  test.each([[1], [7], [64 * 1024]])('is refused past 64 KiB, however short its lines, in reads of %i', (size) => {
    const lines = bytesOf(head('a: b\r\n'.repeat(20_000)));
    const cuts = Array.from({ length: Math.ceil(lines.length / size) }, (_, i) => i * size);
    expect(() => read(Buffer.from(lines).toString('latin1'), cuts)).toThrow('a head of more than 65536 bytes');
  });

  test('of 64 KiB less a little is read, and its values are joined', () => {
    expect(read(head(`${'a: b\r\n'.repeat(10_900)}Content-Length: 0\r\n`)).status).toBe(200);
  });
});
