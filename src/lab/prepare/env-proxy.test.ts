import { describe, expect, test } from 'vitest';
import type { LabEvent } from '../events.ts';
import { withProxy } from './env-proxy.ts';

function at(url: string, env: Record<string, string>, proxy?: string) {
  const told: string[] = [];
  const notify = (event: LabEvent): void => void (event.event === 'note' && told.push(event.note.en));
  const settings = { url, ...(proxy !== undefined && { proxy }) };
  const { settings: after, secrets } = withProxy(settings, url, { env, notify });
  return { proxy: after.proxy, secrets, told: told.join('') };
}

describe('the proxy that the environment names', () => {
  const env = { HTTPS_PROXY: 'http://me:s%20t@10.0.0.1:3128', HTTP_PROXY: '10.0.0.2:8080' };
  test('is taken by scheme, said, and its name and password go nowhere but into the secret', () => {
    const { proxy, secrets, told } = at('https://api.example.org/v1', env);
    expect(proxy).toBe('http://10.0.0.1:3128');
    expect(Buffer.from(secrets['proxy-authorization']!.slice(6), 'base64').toString()).toBe('me:s t');
    expect(told).toMatch(/10\.0\.0\.1:3128 \(HTTPS_PROXY\)/);
    expect(told).not.toMatch(/s t|s%20t/);
    expect(at('http://api.example.org/v1', env)).toMatchObject({ proxy: 'http://10.0.0.2:8080', secrets: {} });
  });
  test('is not asked for this host, for what NO_PROXY lists, and with --proxy none', () => {
    for (const url of [
      'https://127.0.0.1:8000',
      'https://localhost:8000',
      'https://a.corp.example',
      'https://corp.example',
    ])
      expect(at(url, { ...env, NO_PROXY: 'x.org, .corp.example' }).proxy).toBeUndefined();
    expect(at('https://notcorp.example', { ...env, NO_PROXY: '.corp.example' }).proxy).toBeDefined();
    expect(at('https://anything.org', { ...env, NO_PROXY: '*' }).proxy).toBeUndefined();
    expect(at('https://api.example.org', env, 'none')).toMatchObject({ proxy: 'none', secrets: {} });
  });
  test('gives its name to a proxy that was typed only where it is the same', () => {
    expect(at('https://api.example.org', env, 'http://10.0.0.1:3128').secrets).toHaveProperty('proxy-authorization');
    expect(at('https://127.0.0.1:8000', env, 'http://10.0.0.1:3128').secrets).toHaveProperty('proxy-authorization');
    expect(at('https://api.example.org', env, 'http://10.9.9.9:3128').secrets).toEqual({});
  });
  test('an address that is none, or a proxy of another kind, is as if it were not set', () => {
    expect(at('https://api.example.org', { HTTPS_PROXY: 'socks5://10.0.0.1' }).proxy).toBeUndefined();
    expect(at('https://api.example.org', {}).proxy).toBeUndefined();
  });
});
