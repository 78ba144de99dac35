import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { dynoHere } from '../../../test/in-process.ts';

const page = 'vllm:cache_config_info{enable_prefix_caching="False",gpu_memory_utilization="0.5"} 1.0\n';
const server = createServer((_, reply) => void reply.end(page));
afterEach(() => void server.close());

test('a running server is checked by its address, and a password in it is shown nowhere', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const done = await dynoHere(['plan', '--check', `http://me:hidden-word@127.0.0.1:${port}/v1`]);
  expect(done.out).toContain('no-prefix-cache');
  expect(done.out).toContain('memory-left');
  expect(done.out + done.err).not.toContain('hidden-word');
});

test('what is no address is a mistake of whoever typed it', async () => {
  const done = await dynoHere(['plan', '--check', 'http://']);
  expect([done.code, done.err.includes('is not an address')]).toEqual([2, true]);
});
