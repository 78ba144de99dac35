import { writeFileSync } from 'node:fs';
import { userError } from '../core/index.ts';
import { quirkNames, selfSigned } from '../engine/http/index.ts';
import type { EngineOptions } from '../engine/http/index.ts';
import { anyText, flag, many, one, oneOf, portNumber, readDocument } from '../lab/index.ts';
import type { SettingsOf } from '../lab/index.ts';

/** Flags of `dyno engine` about how it is reached: TLS, further ports, habits of its streams. */
export const portFlags = {
  tls: flag(
    'tls',
    'serve HTTPS with a certificate made at start (--cert and --key: one of yours)',
    '提供 HTTPS，证书在启动时生成（--cert、--key 可使用自己的证书）',
  ),
  cert: one('cert FILE', anyText, 'certificate, PEM; with --key', '证书（PEM），与 --key 同用'),
  key: one('key FILE', anyText, 'private key of --cert, PEM', '--cert 的私钥（PEM）'),
  clientCa: one(
    'client-ca FILE',
    anyText,
    'ask clients for a certificate signed by this one',
    '要求客户端出示由该 CA 签发的证书',
  ),
  saveCert: one(
    'save-cert FILE',
    anyText,
    'write the certificate there, for --ca of the client',
    '把证书写到该文件，供客户端 --ca 使用',
  ),
  managementPort: one(
    'management-port PORT',
    portNumber,
    "MindIE's second port: health and status (0 = any free one)",
    'MindIE 管理端口：健康与状态（0 表示任选）',
  ),
  metricsPort: one(
    'metrics-port PORT',
    portNumber,
    "MindIE's third port: /metrics under its own names",
    'MindIE 指标端口：使用其自身名称的 /metrics',
  ),
  quirks: many(
    'quirk NAME',
    oneOf(quirkNames),
    `habits of servers, MindIE's and vLLM's request-metrics, repeatable: ${quirkNames.join(', ')}`,
    `服务器的特殊行为（MindIE 的，以及 vLLM 的 request-metrics），可重复：${quirkNames.join('、')}`,
  ),
};

/** The certificate to serve with; nothing = plain HTTP. */
export function tlsOf(asked: SettingsOf<typeof portFlags>): Pick<EngineOptions, 'tls'> {
  const { cert: certFile, key: keyFile, clientCa: caFile, saveCert: save } = asked;
  if (asked.tls !== true && certFile === undefined && keyFile === undefined && caFile === undefined) return {};
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw userError(
      'bad-value',
      'a certificate and its key go together',
      '证书与私钥需同时给出',
      'Give both --cert and --key, or neither.',
      '请同时给出 --cert 和 --key，或都不给。',
      certFile === undefined ? '--key' : '--cert',
    );
  }
  const tls =
    certFile === undefined ? selfSigned([]) : { cert: pemFile('--cert', certFile), key: pemFile('--key', keyFile!) };
  if (save !== undefined) writeCert(save, tls.cert);
  return { tls: { ...tls, ...(caFile !== undefined && { clientCa: pemFile('--client-ca', caFile) }) } };
}

function writeCert(file: string, cert: string): void {
  try {
    writeFileSync(file, cert);
  } catch (error) {
    const why = (error as Error).message;
    throw userError(
      'bad-value',
      `cannot write ${file}: ${why}`,
      `无法写入 ${file}：${why}`,
      'Name a file in a folder that can be written to.',
      '请给出可写目录中的文件。',
      '--save-cert',
    );
  }
}

function pemFile(name: string, file: string): string {
  return readDocument(file, { hint: { en: 'Give a PEM file.', zh: '请给出 PEM 文件。' }, place: { flag: name } });
}
