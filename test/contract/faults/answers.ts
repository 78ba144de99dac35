const sse = (...data: string[]): string => data.map((each) => `data: ${each}\n\n`).join('');
const delta = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const finish = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const usage = JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } });
const wholeAnswer = JSON.stringify({
  choices: [{ message: { content: 'ab' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});

/** Bodies of an OpenAI chat, for an answer that was asked for as a stream or in one piece. */
export const bodies = {
  whole: (stream: boolean): string => (stream ? sse(delta('a'), delta('b'), finish, usage, '[DONE]') : wholeAnswer),
  half: (stream: boolean): string => (stream ? sse(delta('a')) : wholeAnswer.slice(0, 30)),
  /** All that matters, without the last word. */
  finished: (stream: boolean): string => (stream ? sse(delta('a'), finish, usage) : wholeAnswer),
  giant: (stream: boolean): string => (stream ? sse(delta('x'.repeat(1_000_000)), finish) : wholeAnswer),
  silent: (stream: boolean): string =>
    stream ? sse(finish, '[DONE]') : JSON.stringify({ choices: [{ message: { content: '' }, finish_reason: 'stop' }] }),
  error: (stream: boolean): string =>
    stream ? sse(delta('a'), '{"error":{"message":"out of memory"}}') : '{"error":{"message":"out of memory"}}',
  errorEvent: (stream: boolean): string =>
    stream ? 'event: error\ndata: out of memory\n\n' : '{"error":"out of memory"}',
  /** One event, or one answer, of this JSON. */
  of: (stream: boolean, json: string): string => (stream ? sse(json) : json),
};
