import { describe, expect, test } from 'vitest';
import { readAddress } from './address.ts';

describe('an address as people type it', () => {
  test.each([
    ['localhost:8000', 'http://localhost:8000/v1/chat/completions', 'openai-chat'],
    ['http://h', 'http://h/v1/chat/completions', 'openai-chat'],
    ['http://h/', 'http://h/v1/chat/completions', 'openai-chat'],
    ['http://h/v1', 'http://h/v1/chat/completions', 'openai-chat'],
    ['https://h/v1/completions', 'https://h/v1/completions', 'openai-completions'],
    ['http://127.0.0.1:1025/v1/chat/completions', 'http://127.0.0.1:1025/v1/chat/completions', 'openai-chat'],
    ['http://gateway/team-a/v1', 'http://gateway/team-a/v1/chat/completions', 'openai-chat'],
    ['http://gateway/llm/chat/completions', 'http://gateway/llm/chat/completions', 'openai-chat'],
    ['http://[::1]:9/', 'http://[::1]:9/v1/chat/completions', 'openai-chat'],
  ])('%s is %s', (typed, url, api) => {
    expect(readAddress(typed, null)).toMatchObject({ url, api });
  });

  test('the wire asked for wins over the guess', () => {
    expect(readAddress('localhost:8000', 'openai-completions').url).toBe('http://localhost:8000/v1/completions');
  });

  test.each(['ftp://h', 'http://', 'http://h:99999', '::::', ''])('"%s" is refused', (typed) => {
    expect(() => readAddress(typed, null)).toThrow(/not an http/);
  });

  test('a password in the address is refused without repeating it', () => {
    const attempt = (): unknown => readAddress('http://user:hunter2@h', null);
    expect(attempt).toThrow(/user name or password/);
    expect(attempt).not.toThrow(/hunter2/);
  });
});
