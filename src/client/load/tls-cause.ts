import type { Phrase } from '../../core/index.ts';

/** Why a TLS connection was not made, and what helps. The English words open a problem's words, and are looked up again by them. */
export interface TlsCause {
  why: Phrase;
  hint: Phrase;
}

const expired: TlsCause = {
  why: { en: "the server's certificate has expired", zh: '服务器证书已过期' },
  hint: {
    en: 'Renew it, or look at the clocks of both machines; --insecure accepts any certificate.',
    zh: '请更新证书，或检查两台机器的时钟；--insecure 可接受任意证书。',
  },
};
const notYet: TlsCause = {
  why: { en: "the server's certificate is not valid yet", zh: '服务器证书尚未生效' },
  hint: {
    en: 'Look at the clocks of both machines; --insecure accepts any certificate.',
    zh: '请检查两台机器的时钟；--insecure 可接受任意证书。',
  },
};
const otherHost: TlsCause = {
  why: { en: "the server's certificate is for another host", zh: '服务器证书属于另一主机名' },
  hint: {
    en: 'Use a name that stands in the certificate; --insecure accepts any certificate.',
    zh: '请使用证书中列出的主机名；--insecure 可接受任意证书。',
  },
};
const untrusted: TlsCause = {
  why: {
    en: "the server's certificate is signed by nobody we trust: name its authority with --ca",
    zh: '服务器证书的签发者不受信任：请用 --ca 给出其 CA',
  },
  hint: {
    en: '--ca FILE takes the PEM of the authority that signed it (of a self-signed one: itself); --insecure accepts any certificate.',
    zh: '--ca FILE 接受签发该证书的 CA（自签名证书即其本身）的 PEM；--insecure 可接受任意证书。',
  },
};
const clientWanted: TlsCause = {
  why: {
    en: 'the server asks for a client certificate: give --cert and --cert-key',
    zh: '服务器要求客户端证书：请给出 --cert 和 --cert-key',
  },
  hint: {
    en: '--cert FILE is the certificate that its authority gave you, --cert-key FILE the key of it.',
    zh: '--cert FILE 为其 CA 颁发给您的证书，--cert-key FILE 为对应的私钥。',
  },
};
const clientRefused: TlsCause = {
  why: { en: 'the server does not accept our client certificate', zh: '服务器不接受我们的客户端证书' },
  hint: {
    en: 'Is --cert signed by an authority that the server trusts, and not expired?',
    zh: '--cert 是否由服务器信任的 CA 签发，且未过期？',
  },
};
const noTls: TlsCause = {
  why: {
    en: 'the server does not speak TLS here: http instead of https?',
    zh: '该端口不使用 TLS：应为 http 而非 https？',
  },
  hint: { en: 'Try the address with http://.', zh: '请改用 http:// 地址。' },
};
const refused: TlsCause = {
  why: {
    en: 'the server refused the handshake: no cipher in common, or it wants a client certificate',
    zh: '服务器拒绝握手：没有共同的加密套件，或要求客户端证书',
  },
  hint: {
    en: 'Give --cert and --cert-key if it asks for them.',
    zh: '若其要求客户端证书，请给出 --cert 和 --cert-key。',
  },
};
const versions: TlsCause = {
  why: { en: 'the server speaks no TLS version that we do', zh: '服务器没有我们支持的 TLS 版本' },
  hint: { en: 'It has to speak TLS 1.2 or 1.3.', zh: '服务器需支持 TLS 1.2 或 1.3。' },
};
const other: TlsCause = {
  why: { en: 'TLS failed', zh: 'TLS 失败' },
  hint: {
    en: 'Check http:// against https://, and the certificate; --insecure accepts any certificate.',
    zh: '请检查应使用 http:// 还是 https://，以及证书；--insecure 可接受任意证书。',
  },
};

const causes: Readonly<Record<string, TlsCause>> = {
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: notYet,
  ERR_TLS_CERT_ALTNAME_INVALID: otherHost,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientWanted,
  ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED: clientWanted,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: clientRefused,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientRefused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: clientRefused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: clientRefused,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: refused,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: versions,
  ERR_SSL_UNSUPPORTED_PROTOCOL: versions,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
};

/** The cause that an error of the system or of OpenSSL stands for; null = it is something else. */
export function tlsCause(code: string): TlsCause | null {
  return causes[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? other : null);
}

/** The cause that the words of a `tls` problem begin with. */
export function tlsCauseOf(words: string): TlsCause {
  return Object.values(causes).find(({ why }) => words.startsWith(why.en)) ?? other;
}
