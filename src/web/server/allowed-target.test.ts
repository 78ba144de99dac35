import { expect, test } from 'vitest';
import { isAllowedTarget } from './allowed-target.ts';

test.each([
  ['http://10.0.0.7:8000/v1', '10.0.0.7:8000', true],
  ['http://10.0.0.7:8001/v1', '10.0.0.7:8000', false],
  ['http://10.0.0.7/v1', '10.0.0.7', true],
  ['https://10.0.0.7/v1', '10.0.0.7:443', true],
  ['http://a.example.org', '*.example.org', true],
  ['http://example.org', '*.example.org', false],
  ['http://evil-example.org', '*.example.org', false],
  ['http://example.org.evil.net', 'example.org', false],
  ['http://[::1]:9000', '[::1]:9000', true],
  ['https://host', 'http://host', false],
  ['http://HOST', 'host', true],
  ['http://anything', '*', false],
  ['http://anything', '', false],
])('%s against --allow-target %s: %s', (url, pattern, allowed) => {
  expect(isAllowedTarget(new URL(url), [pattern])).toBe(allowed);
});
