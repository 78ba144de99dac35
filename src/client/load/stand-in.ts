import net from 'node:net';

/** Cycle of 8 answers: 1 long, 3 in one write, 4 short. */
const kinds = 8;

/**
 * A server on the loopback device that answers every request with a short stream, a write in each round, in all the ways in which
 * streams come: an event in a read, several, all of them, and one that is cut in two; with and without a stamp; short and long texts.
 * All of them, because V8 compiles code again at the first thing that it had not seen. Null = it cannot listen here.
 */
export function standIn(): Promise<net.Server | null> {
  let answers = 0;
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      const kind = answers++ % kinds;
      const writes = kind === 0 ? longAnswer : kind < 4 ? wholeAnswer : shortAnswer;
      let at = 0;
      const say = (): void => {
        socket.write(writes[at++]!);
        if (at < writes.length) setImmediate(say);
      };
      say();
    });
  });
  return new Promise((resolve) => {
    // Also later on: where handles are short, connections of the rehearsal are refused, and that is all.
    server.on('error', () => resolve(null));
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const event = (value: unknown): string => chunk(`data: ${JSON.stringify(value)}\n\n`);
const begun = { id: 'chatcmpl-rehearsal', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' };
const said = (delta: object, finish: string | null, more = {}): string =>
  event({ ...begun, choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const first = said({ role: 'assistant', content: '' }, null);
const piece = said({ content: 'word ' }, null);
const longPiece = said({ content: 'a text of more than one word '.repeat(12) }, null);
const stamped = said({ content: 'word ' }, null, { emit_ns: '1234567890123456' });
const last = (tokens: number): string =>
  said({}, 'stop') +
  event({ ...begun, choices: [], usage: { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens } }) +
  chunk('data: [DONE]\n\n') +
  '0\r\n\r\n';
const cutAt = piece.length - 20;
const shortAnswer = [
  head + first + piece,
  piece,
  stamped,
  piece.repeat(3) + piece.slice(0, cutAt),
  piece.slice(cutAt),
  last(9),
];
const longAnswer = [head + first, longPiece, ...Array.from({ length: 20 }, () => stamped), last(21)];
const wholeAnswer = [head + first + stamped + last(1)];
