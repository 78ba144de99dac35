import { constants } from 'node:http2';
import { problem } from '../../../core/index.ts';
import type { Problem } from '../../../core/index.ts';

const names = new Map<number, string>(
  Object.entries(constants).flatMap(([name, value]) =>
    /^NGHTTP2_(NO_ERROR|[A-Z_]*_ERROR|REFUSED_STREAM|CANCEL|STREAM_CLOSED|SETTINGS_TIMEOUT|FRAME_SIZE_ERROR|ENHANCE_YOUR_CALM|INADEQUATE_SECURITY|HTTP_1_1_REQUIRED)$/.test(
      name,
    ) &&
    typeof value === 'number' &&
    value >= 0
      ? [[value, name.replace('NGHTTP2_', '')] as const]
      : [],
  ),
);

/** The word of RFC 9113 for an error code. */
export function codeName(code: number): string {
  return names.get(code) ?? `code ${code}`;
}

/** What the end of a stream without a proper end of its answer means. */
export function streamProblem(rstCode: number, answered: boolean, goaway: number | null): Problem {
  if (goaway !== null && goaway !== constants.NGHTTP2_NO_ERROR)
    return problem('reset', `the server sent GOAWAY ${codeName(goaway)}`);
  if (rstCode === constants.NGHTTP2_REFUSED_STREAM)
    return problem('stream-refused', 'RST_STREAM REFUSED_STREAM: the server did no work on it');
  const plain = rstCode === constants.NGHTTP2_NO_ERROR || rstCode === constants.NGHTTP2_CANCEL;
  if (!plain) {
    const malformed = rstCode === constants.NGHTTP2_PROTOCOL_ERROR || rstCode === constants.NGHTTP2_FRAME_SIZE_ERROR;
    return problem(malformed ? 'malformed-http' : 'reset', `RST_STREAM ${codeName(rstCode)}`);
  }
  return answered
    ? problem('truncated-stream', 'the server ended the stream in the middle of its answer')
    : problem('reset', 'the server ended the stream before answering');
}
