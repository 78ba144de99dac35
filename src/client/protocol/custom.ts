import { invariant, isObject } from '../../core/index.ts';
import type { Ask, CustomWire, Target } from '../../core/index.ts';
import { countIn, notAnAnswer, textPart, usagePart } from './heard-parts.ts';
import { jsonWire } from './json-wire.ts';
import { errorWords } from './openai-answer.ts';
import type { ParsedEvent, Protocol } from './protocol.ts';
import { maxTokensOf, promptText } from './said-prompt.ts';

/** The wire that a user described: a template for the body, and where in an answer things stand. */
export function customProtocol(wire: CustomWire | null): Protocol {
  const told = (): CustomWire => {
    invariant(wire !== null, 'a custom wire comes with its description');
    return wire;
  };
  return jsonWire({
    name: 'custom',
    path: wire?.path ?? '/',
    ...(wire?.stream != null && { stream: wire.stream }),
    body: (ask, target) => {
      const body = filled(told().body, ask, target);
      return isObject(body) ? body : {};
    },
    hearer: () => (value) => hearBy(told(), value),
  });
}

function hearBy(wire: CustomWire, value: unknown): ParsedEvent[] {
  if (!isObject(value)) return notAnAnswer(value, 'object');
  const error = at(value, wire.error ?? 'error');
  if (error !== undefined && error !== null && error !== '') {
    return [{ kind: 'problem', code: 'in-stream-error', words: errorWords(error) }];
  }
  const heard: ParsedEvent[] = [
    ...(wire.reasoning === null ? [] : textPart('reasoning', at(value, wire.reasoning))),
    ...textPart('answer', at(value, wire.text)),
  ];
  const [input, output] = [wire.inputTokens, wire.outputTokens].map((path) => (path === null ? null : at(value, path)));
  if (countIn(input) !== null || countIn(output) !== null) heard.push(usagePart({ input, output }));
  const finish = wire.finish === null ? null : at(value, wire.finish);
  if (finish === true || (typeof finish === 'string' && finish !== '')) {
    heard.push({ kind: 'finish', reason: finish === true ? 'stop' : finish });
  }
  return heard;
}

/** What stands at `a.b[0].c`; undefined = nothing. Only own fields are looked at. */
function at(value: unknown, path: string): unknown {
  let here = value;
  for (const step of path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string, unknown>)[step];
  }
  return here;
}

/** The template with `{prompt}`, `{messages}`, `{model}`, `{max_tokens}`, `{temperature}`, `{stop}`, `{stream}` put in; a field of what is not known is left out. */
function filled(template: unknown, ask: Ask, target: Target): unknown {
  const { generation } = ask;
  const values: Record<string, unknown> = {
    prompt: promptText(ask),
    messages: ask.prompt.messages,
    model: target.model,
    max_tokens: maxTokensOf(ask),
    temperature: generation.temperature,
    stop: generation.stop.length === 0 ? null : generation.stop,
    stream: generation.stream,
  };
  const fill = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(fill);
    if (isObject(part)) {
      const fields = Object.entries(part).map(([key, inner]) => [key, fill(inner)] as const);
      return Object.fromEntries(fields.filter(([, inner]) => inner !== null));
    }
    if (typeof part !== 'string') return part;
    const whole = /^\{(\w+)\}$/.exec(part)?.[1];
    if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole];
    return part.replaceAll(/\{(\w+)\}/g, (text, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : text,
    );
  };
  return fill(template);
}
