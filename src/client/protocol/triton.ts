import { isObject } from '../../core/index.ts';
import { CumulativeText } from './cumulative-text.ts';
import { countIn, errorPart, notAnAnswer, usagePart, within } from './heard-parts.ts';
import type { Hearer } from './json-listener.ts';
import { jsonWire } from './json-wire.ts';
import type { ParsedEvent } from './protocol.ts';
import { known, maxTokensOf, promptText } from './said-prompt.ts';
import { stepsOf } from './server-steps.ts';
import { tgiHearer } from './tgi.ts';

const path = '/v2/models/{model}/generate_stream';
const wholePath = '/v2/models/{model}/generate';

/** Triton's generate extension (KServe): a text goes in, `text_output` comes out; the end of the body is the end. */
export const triton = jsonWire({
  name: 'triton',
  path,
  wholePath,
  stream: { cut: 'objects', endsBy: 'body' },
  body: (ask) => {
    const { generation } = ask;
    const parameters = known({
      stream: generation.stream,
      max_tokens: maxTokensOf(ask),
      temperature: generation.temperature,
      stop: generation.stop,
      ...(generation.ignoreEos && { ignore_eos: true }),
    });
    return { text_input: promptText(ask), parameters };
  },
  hearer: () => tritonHearer(),
});

/**
 * MindIE: Triton's wire with `details` (tokens, batch size and queue wait of every step), and its own `/infer` where the
 * address says so. A stream is whole once a finish reason was heard.
 */
export const mindie = jsonWire({
  name: 'mindie',
  path,
  wholePath,
  stream: { cut: 'objects', endsBy: 'finish' },
  body: (ask, target) => {
    const { generation } = ask;
    const parameters = known({
      details: true,
      max_new_tokens: maxTokensOf(ask),
      do_sample: generation.temperature !== null && generation.temperature > 0,
      temperature: generation.temperature !== null && generation.temperature > 0 ? generation.temperature : null,
      stop: generation.stop,
      ...(generation.ignoreEos && { ignore_eos: true }),
      ...(!generation.stream && { perf_stat: true }),
    });
    if (new URL(target.url).pathname.endsWith('/infer')) {
      return { inputs: promptText(ask), stream: generation.stream, parameters };
    }
    return { text_input: promptText(ask), parameters };
  },
  hearer: () => {
    const [generated, inferred] = [tritonHearer(), tgiHearer()];
    return (value) =>
      isObject(value) && !('text_output' in value) && ('token' in value || 'generated_text' in value)
        ? inferred(value)
        : generated(value);
  },
});

/** `{text_output, details}`; tokens of a chunk follow from `details.generated_tokens`, which counts on from chunk to chunk. */
function tritonHearer(): Hearer {
  const texts = new CumulativeText();
  let counted = 0;
  return (value) => {
    if (!isObject(value)) return notAnAnswer(value, 'object');
    const error = errorPart(value);
    if (error !== null) return error;
    const output = value['text_output'];
    const said: unknown = Array.isArray(output) ? output.join('') : output;
    if (typeof said !== 'string') return notAnAnswer(value, '"text_output"');
    const details = within(value, 'details');
    const total = countIn(details['generated_tokens']);
    const tokens = total === null ? null : total > counted ? total - counted : total;
    counted = total === null ? counted : Math.max(total, counted + (total > counted ? 0 : total));
    const heard: ParsedEvent[] = texts.hear('answer', said, tokens);
    const steps = stepsOf(details['batch_size'], details['queue_wait_time'], details['perf_stat']);
    if (steps !== null) heard.push(steps);
    const reason = details['finish_reason'];
    if (typeof reason === 'string' && reason !== '') {
      heard.push({ kind: 'finish', reason });
      if (total !== null)
        heard.push(usagePart({ input: details['prompt_tokens'] ?? details['input_tokens'], output: counted }));
    }
    return heard;
  };
}
