/**
 * Whether a run may be started against an address: `host`, `host:port`, `*.example.org` or `http://host:port` in the
 * list of --allow-target. The port must match where one is named.
 */
export function isAllowedTarget(url: URL, allowed: readonly string[]): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const host = url.hostname.toLowerCase();
  return allowed.some((pattern) => {
    const parts = /^(?:(https?):\/\/)?(\*\.[^/:*]+|\[[^\]]+\]|[^/:*]+)(?::(\d+))?\/?$/.exec(pattern.toLowerCase());
    if (parts === null) return false;
    const [, scheme, name, wantedPort] = parts;
    if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
    if (wantedPort !== undefined && wantedPort !== port) return false;
    return name!.startsWith('*.') ? host.endsWith(name!.slice(1)) : host === name;
  });
}
