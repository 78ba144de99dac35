import dns from 'node:dns';
import type net from 'node:net';

const lookupTtlMs = 30_000;

/** Name lookup asked once in a while, not once per connection: ten thousand connections are one question. */
export function cachedLookup(
  resolve: (hostname: string) => Promise<dns.LookupAddress[]> = (hostname) =>
    dns.promises.lookup(hostname, { all: true, order: 'ipv4first' }),
  nowMs: () => number = () => performance.now(),
): net.LookupFunction {
  const answers = new Map<string, { until: number; answer: Promise<dns.LookupAddress[]> }>();
  return (hostname, options, callback) => {
    const now = nowMs();
    let known = answers.get(hostname);
    if (known === undefined || known.until < now) {
      known = { until: now + lookupTtlMs, answer: resolve(hostname) };
      answers.set(hostname, known);
      // A failed lookup is not remembered: the next connection asks again.
      known.answer.catch(() => answers.delete(hostname));
    }
    known.answer.then(
      (addresses) => {
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
