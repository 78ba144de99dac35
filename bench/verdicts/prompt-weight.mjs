// How many characters a token of a random prompt has beside one of natural text, in the tokenizer of the model: what `dyno run --tokenizer` sends,
// what `vllm bench serve --dataset-name random` sends where its command is given, and texts of this machine.
//   node bench/verdicts/prompt-weight.mjs TOKENIZER TOKENS TEXT… [--vllm 'VLLM COMMAND']
// Both clients ask a server on loopback that keeps what it was asked. Tokens are counted by @huggingface/tokenizers, no part of ours.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Tokenizer } from '@huggingface/tokenizers';

const run = promisify(execFile);
const words = process.argv.slice(2);
const flag = words.indexOf('--vllm');
const vllm = flag === -1 ? null : words.splice(flag, 2)[1];
const [tokenizer, tokens, ...texts] = words;
if (texts.length === 0) throw new Error("TOKENIZER TOKENS TEXT… [--vllm 'VLLM COMMAND']");
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const folder = await mkdtemp(join(tmpdir(), 'prompt-weight-'));
const config = JSON.parse(await readFile(join(tokenizer, 'tokenizer_config.json'), 'utf8'));
const coder = new Tokenizer(JSON.parse(await readFile(join(tokenizer, 'tokenizer.json'), 'utf8')), config);
const count = (text) => coder.encode(text, { add_special_tokens: false }).ids.length;

let asked = [];
const server = createServer((request, answer) => {
  let body = '';
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    if (request.method === 'GET') return answer.end(JSON.stringify({ data: [{ id: 'm' }] }));
    const { prompt } = JSON.parse(body);
    asked.push(prompt);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    const choices = [{ index: 0, text: ' a', finish_reason: 'length' }];
    const usage = { prompt_tokens: count(prompt), completion_tokens: 1, total_tokens: count(prompt) + 1 };
    answer.end(
      `data: ${JSON.stringify({ choices })}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    );
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;

function told(name, list) {
  const chars = list.reduce((sum, text) => sum + text.length, 0);
  const all = list.reduce((sum, text) => sum + count(text), 0);
  console.log(`| ${name} | ${list.length} | ${(all / list.length).toFixed(1)} | ${(chars / all).toFixed(2)} |`);
}

console.log('| text | texts | tokens each | characters a token |\n|---|---|---|---|');
try {
  for (const text of texts) told(text.split('/').at(-1), [(await readFile(text, 'utf8')).slice(0, 200_000)]);
  const load = ['--concurrency', '2', '-n', '40', '--no-preflight', '--lenient', '--store', folder];
  const lengths = ['--tokenizer', tokenizer, '--input-tokens', tokens, '--output-tokens', '1', '--metrics', 'none'];
  await run(process.execPath, [main, 'run', `${url}/v1/completions`, '--model', 'm', ...load, ...lengths]);
  told(`dyno run --input-tokens ${tokens}`, asked);
  if (vllm !== null) {
    asked = [];
    const [command, ...before] = vllm.split(' ');
    const how = ['--dataset-name', 'random', '--random-input-len', tokens, '--random-output-len', '1'];
    const what = ['bench', 'serve', '--base-url', url, '--model', 'm', '--tokenizer', tokenizer, '--num-prompts', '40'];
    await run(command, [...before, ...what, ...how], { timeout: 600_000, maxBuffer: 2 ** 28 });
    // It asks once before it begins.
    told(`vllm bench serve --random-input-len ${tokens}`, asked.slice(1));
  }
} finally {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}
