import net from 'node:net';

/** So many answers, one of them is long. */
const longEvery = 8;

/**
 * A server on the loopback device that answers every request with a short stream, a write in each round, in all the ways in which
 * streams come: an event in a read, several, and one that is cut in two; with and without a stamp; short and long texts. What the
 * engine has not seen when it compiles, it compiles again. Null = it cannot listen here.
 */
export function standIn(): Promise<net.Server | null> {
  let answers = 0;
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      const writes = answers++ % longEvery === 0 ? longAnswer : shortAnswer;
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
const said = (content: string, finish: string | null, more = {}): string =>
  event({
    id: 'rehearsal',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    ...more,
  });
const piece = said('word ', null);
const longPiece = said('a text of more than one word '.repeat(12), null);
const stamped = said('word ', null, { emit_ns: '1' });
const last =
  said('', 'stop') +
  event({
    id: 'rehearsal',
    object: 'chat.completion.chunk',
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 },
  }) +
  chunk('data: [DONE]\n\n') +
  '0\r\n\r\n';
const cutAt = piece.length - 20;
const shortAnswer = [head + piece, piece, stamped, piece.repeat(3) + piece.slice(0, cutAt), piece.slice(cutAt), last];
const longAnswer = [head + piece, longPiece, ...Array.from({ length: 20 }, () => stamped), last];
