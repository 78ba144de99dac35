import type { PointRule } from '../rule.ts';

/** Below this share of the limit the next peak finds nothing left. */
const scarceShare = 0.1;
/** More requests than this part of all that failed on this side make a run a measurement of this side. */
const refusedRatio = 0.01;

/** The client nearly ran out of file handles or ports: one step more, and requests fail on this side. */
export const clientRoom: PointRule = {
  code: 'client-room',
  severities: ['warn', 'invalid'],
  meaning: {
    en: 'File handles or outgoing ports of the client were nearly used up: connections beyond that fail on the client, not on the server. Where more than one request in a hundred failed so, the run is not valid.',
    zh: '客户端文件句柄或出站端口几乎用尽：再多的连接会在客户端失败，而不是服务器。因此失败的请求超过百分之一时，该运行无效。',
  },
  taughtBy:
    'Benchmarks that open a connection per request leave each port waiting for a minute; at 500 requests/s the usual 28,000 ports are gone in less.',
  check({ client, counts }) {
    const refused = counts.byProblem['client-resources'] ?? 0;
    if (client === null) return null;
    const { fileHandlesLeft, fileHandlesLimit, portsLeft, portsLimit } = client;
    const scarce = (left: number | null | undefined, limit: number | null | undefined): boolean =>
      left !== null && left !== undefined && limit !== null && limit !== undefined && left < scarceShare * limit;
    // Between two looks at the host it may have run out and found room again: the requests that failed of it know better.
    const ranOut = refused > 0;
    const handles = scarce(fileHandlesLeft, fileHandlesLimit);
    const ports = scarce(portsLeft, portsLimit);
    if (!handles && !ports && !ranOut) return null;
    const left = {
      en: [
        ...(handles ? [`${fileHandlesLeft} of ${fileHandlesLimit} file handles`] : []),
        ...(ports ? [`${portsLeft} of ${portsLimit} ports`] : []),
      ].join(' and '),
      zh: [
        ...(handles ? [`文件句柄剩 ${fileHandlesLeft}/${fileHandlesLimit}`] : []),
        ...(ports ? [`端口剩 ${portsLeft}/${portsLimit}`] : []),
      ].join('，'),
    };
    const failed = ranOut
      ? {
          en: ` ${refused} requests failed on this side for want of it: they say nothing about the server.`,
          zh: `${refused} 个请求因此在客户端失败，与服务器无关。`,
        }
      : { en: '', zh: '' };
    const least = {
      en: left.en === '' ? '' : `: ${left.en} at the least`,
      zh: left.zh === '' ? '' : `：最少时${left.zh}`,
    };
    return {
      severity: refused > refusedRatio * counts.planned ? 'invalid' : 'warn',
      message: {
        en: `The client had little room left for connections${least.en}.${failed.en}`,
        zh: `客户端可用连接资源不足${least.zh}。${failed.zh}`,
      },
      evidence: {
        fileHandlesLeft: fileHandlesLeft ?? null,
        fileHandlesLimit: fileHandlesLimit ?? null,
        portsLeft: portsLeft ?? null,
        portsLimit: portsLimit ?? null,
        failed: refused,
      },
      advice: {
        en: [
          ...(handles || !ports ? ['Raise the limit: ulimit -n 65536.'] : []),
          ...(ports || !handles
            ? ['Widen the ports: sysctl net.ipv4.ip_local_port_range="1024 65535", or use more machines.']
            : []),
        ].join(' '),
        zh: [
          ...(handles || !ports ? ['请提高上限：ulimit -n 65536。'] : []),
          ...(ports || !handles
            ? ['请扩大端口范围：sysctl net.ipv4.ip_local_port_range="1024 65535"，或使用更多机器。']
            : []),
        ].join(''),
      },
    };
  },
};
