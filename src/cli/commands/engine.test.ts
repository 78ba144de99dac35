import { expect, it } from 'vitest';
import { quietIo } from '../../../test/in-process.ts';
import { runCli } from '../run-cli.ts';

/** Starts an engine here, asks it, and presses Ctrl-C; what it said at its end. */
async function lastWords(flags: string, requests: number): Promise<string> {
  let [url, said] = ['', ''];
  let interrupt = (): void => {};
  const done = runCli({
    ...quietIo,
    argv: ['engine', '--port', '0', '--speed', '100', '--model', 'm', ...flags.split(' ')],
    out: (text) => void (url += text),
    err: (text) => void (said += text),
    onInterrupt(act) {
      interrupt = () => act(1, 'SIGINT');
      return () => {};
    },
  });
  await expect.poll(() => said, { interval: 5, timeout: 60_000 }).not.toBe('');
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], max_tokens: 40 });
  const ask = (): Promise<unknown> =>
    fetch(`${url.trim()}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).then((answer) => answer.text());
  await Promise.all(Array.from({ length: requests }, ask));
  interrupt();
  expect(await done).toBe(0);
  return said.trimEnd().split('\n').at(-1)!;
}

it('says at its end what limited it: a batch of two where eight came at once', async () => {
  const words = await lastWords('--scheduler vllm-v1 --set max_num_seqs=2 --lang en', 8);
  expect(words).toMatch(/^8 requests answered; limited by the batch/);
  expect(await lastWords('--scheduler vllm-v1 --set max_num_seqs=2 --lang zh', 8)).toMatch(
    /^共应答 8 个请求；受批大小限制/,
  );
});

it('an engine that nobody asked says nothing of limits', async () => {
  expect(await lastWords('--lang en', 0)).toBe('0 requests answered');
});
