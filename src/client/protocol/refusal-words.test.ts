import { expect, test } from 'vitest';
import { refusalWords } from './openai-answer.ts';

// What llm-d-inference-sim, llama.cpp's server, FastAPI, TGI and a proxy answered, shortened.
test.each([
  ['{"object":"error","message":"The model `nope` does not exist.","code":404}', 'The model `nope` does not exist.'],
  ['{"error":{"code":400,"message":"no such wire","type":"x"}}', 'no such wire'],
  ['{"detail":"Not Found"}', 'Not Found'],
  ['{"error":"Input validation error","error_type":"validation"}', 'Input validation error'],
  ['{"detail":[{"loc":["body","query"],"msg":"Field required"}]}', '[{"loc":["body","query"],"msg":"Field required"}]'],
])('%s says: %s', (body, words) => {
  expect(refusalWords(body)).toBe(words);
});

test.each(['Not Found', '<html>502</html>', '', '[1]', '"no"', '{"status":404}', '{"error":null}', '{"message":""}'])(
  '%j has no shape of an error, and is told as it is',
  (body) => {
    expect(refusalWords(body)).toBe(body);
  },
);
