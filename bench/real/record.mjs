// Records what a server answers, for test/fixtures/protocol: node bench/real/record.mjs URL MODEL FOLDER WIRE…
// Wires: chat, completions, responses, messages (Anthropic), ollama, embeddings, rerank, cohere (its rerank), azure, tgi,
// choices (two, with logprobs), tools (a call is asked for), reasoning (a chat with a model that thinks).
// Each is asked once streamed and once whole; the file holds status, headers and body, with the chunked coding taken off.
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

const [url, model, folder, ...wires] = process.argv.slice(2);
const ask = 'Why is the sky blue?';
const messages = [{ role: 'user', content: ask }];
const usage = { stream_options: { include_usage: true } };
const all = {
  chat: { path: '/v1/chat/completions', body: { messages, max_tokens: 12 }, stream: usage },
  reasoning: { path: '/v1/chat/completions', body: { messages, max_tokens: 12 }, stream: usage },
  completions: { path: '/v1/completions', body: { prompt: ask, max_tokens: 12 }, stream: usage },
  choices: {
    path: '/v1/chat/completions',
    body: { messages, max_tokens: 6, n: 2, logprobs: true, top_logprobs: 2 },
    stream: usage,
  },
  tools: {
    path: '/v1/chat/completions',
    body: {
      messages: [{ role: 'user', content: 'What is the weather in Boston?' }],
      max_tokens: 12,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather at a place',
            parameters: {
              type: 'object',
              properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['C', 'F'] } },
              required: ['city', 'unit'],
            },
          },
        },
      ],
      tool_choice: 'required',
    },
    stream: usage,
  },
  azure: {
    path: `/openai/deployments/${model}/chat/completions?api-version=2024-10-21`,
    body: { messages, max_tokens: 12 },
    stream: usage,
  },
  responses: { path: '/v1/responses', body: { input: ask, max_output_tokens: 12 } },
  messages: { path: '/v1/messages', body: { messages, max_tokens: 12 } },
  ollama: { path: '/api/chat', body: { messages, options: { num_predict: 12 } } },
  embeddings: { path: '/v1/embeddings', body: { input: [ask] }, wholeOnly: true },
  tgi: {
    path: '/generate',
    streamPath: '/generate_stream',
    body: { inputs: ask, parameters: { details: true, max_new_tokens: 12 } },
  },
  rerank: { path: '/v1/rerank', body: { query: ask, documents: ['Light is scattered.', 'Cats.'] }, wholeOnly: true },
  cohere: { path: '/v2/rerank', body: { query: ask, documents: ['Light is scattered.', 'Cats.'] }, wholeOnly: true },
};

function record(wire, stream) {
  const { path, streamPath, body, stream: more = {} } = all[wire];
  const said = JSON.stringify({ model, ...body, stream, ...(stream && more) });
  const headers = {
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
    'api-key': 'none',
    authorization: 'Bearer none',
    'x-api-key': 'none',
    'content-length': Buffer.byteLength(said),
  };
  return new Promise((resolve, reject) => {
    const call = request(
      url + (stream && streamPath !== undefined ? streamPath : path),
      { method: 'POST', headers, agent: false },
      (res) => {
        const parts = [];
        res.on('data', (part) => parts.push(part));
        res.on('end', () => {
          const head = [`HTTP/1.1 ${res.statusCode} ${res.statusMessage}`];
          for (let i = 0; i < res.rawHeaders.length; i += 2)
            head.push(`${res.rawHeaders[i]}: ${res.rawHeaders[i + 1]}`);
          const file = `${wire}-${stream ? 'stream' : 'whole'}.http`;
          writeFileSync(join(folder, file), Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), ...parts]));
          console.log(`${file}: ${res.statusCode}`);
          resolve();
        });
      },
    );
    call.on('error', reject);
    call.end(said);
  });
}

mkdirSync(folder, { recursive: true });
for (const wire of wires) {
  if (all[wire].wholeOnly !== true) await record(wire, true);
  await record(wire, false);
}
