import { isLoopback } from '../../core/index.ts';
import type { PlanSettings } from './assemble-plan.ts';
import { note } from '../world.ts';
import type { World } from '../world.ts';

type Env = World['env'];

/** A proxy as the environment names it, and the name it wants to be told, which no file and no flag may hold. */
interface EnvProxy {
  variable: string;
  url: URL;
  authorization: string | null;
}

/**
 * The settings with the proxy that the environment names for this server, where none was typed; and the secret for it. A name and
 * password are taken from the variable also where --proxy names the same host and port.
 */
export function withProxy<W extends PlanSettings & { url: string }>(
  settings: W,
  serverUrl: string,
  world: Pick<World, 'env' | 'notify'>,
): { settings: W; secrets: Record<string, string> } {
  if (settings.proxy === 'none') return { settings, secrets: {} };
  const { env } = world;
  const found = proxyIn(env, new URL(serverUrl));
  if (found === null) return { settings, secrets: {} };
  const typed =
    settings.proxy === undefined
      ? null
      : new URL(/^http:/i.test(settings.proxy) ? settings.proxy : `http://${settings.proxy}`);
  const same = typed === null || typed.host === found.url.host;
  const secrets: Record<string, string> =
    same && found.authorization !== null ? { 'proxy-authorization': found.authorization } : {};
  if (typed !== null) return { settings, secrets };
  if (isDirect(env, new URL(serverUrl))) return { settings, secrets: {} };
  const { variable, url } = found;
  note(
    world,
    `note: going through the proxy ${url.host} (${variable}); --proxy none goes directly`,
    `提示：经由代理 ${url.host}（${variable}）；--proxy none 可直连`,
  );
  return { settings: { ...settings, proxy: found.url.origin }, secrets };
}

function proxyIn(env: Env, server: URL): EnvProxy | null {
  const secure = server.protocol === 'https:';
  const variables = secure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  for (const variable of variables) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    try {
      const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
      if (url.protocol !== 'http:') continue;
      const name = decodeURIComponent(url.username);
      const authorization =
        name === '' ? null : `Basic ${Buffer.from(`${name}:${decodeURIComponent(url.password)}`).toString('base64')}`;
      return { variable, url, authorization };
    } catch {
      // Not an address: as if it were not set.
    }
  }
  return null;
}

/** Whether a server is reached without the environment's proxy: this host itself, and what NO_PROXY lists. */
function isDirect(env: Env, { hostname }: URL): boolean {
  if (isLoopback(hostname)) return true;
  const list = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return list.some((entry) => {
    if (entry === '*') return true;
    const name = entry
      .replace(/:\d+$/, '')
      .replace(/^\*?\./, '')
      .toLowerCase();
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}
