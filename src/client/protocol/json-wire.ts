import { isObject } from '../../core/index.ts';
import type { ApiName, Ask, Target } from '../../core/index.ts';
import { JsonStreamListener, JsonWholeListener } from './json-listener.ts';
import type { Hearer, StreamShape } from './json-listener.ts';
import type { AnswerShape, Protocol } from './protocol.ts';
import { callHeaders } from './said-prompt.ts';

/** A wire as data: where it lives, what its body holds, and what its answers say. */
export interface JsonWire {
  name: ApiName;
  path: string;
  wholePath?: string;
  keyHeader?: string;
  listsModels?: true;
  /** Fields of OpenAI's bodies that this wire says in another way: they are not sent as they are. */
  saysOtherwise?: readonly string[];
  headers?: readonly (readonly [name: string, value: string])[];
  /** absent = answers come in one piece. */
  stream?: StreamShape;
  body(ask: Ask, target: Target): Record<string, unknown>;
  /** A hearer for one answer. */
  hearer(shape: AnswerShape): Hearer;
}

/** The protocol that a wire describes. Fields of the run's and the prompt's own body win over the wire's. */
export function jsonWire(wire: JsonWire): Protocol {
  const streams = (shape: AnswerShape): boolean => wire.stream !== undefined && shape.stream;
  const joined = new Map<readonly (readonly [string, string])[], readonly (readonly [string, string])[]>();
  return {
    name: wire.name,
    path: wire.path,
    ...(wire.wholePath !== undefined && { wholePath: wire.wholePath }),
    ...(wire.listsModels === true && { listsModels: true as const }),
    ...(wire.keyHeader !== undefined && { keyHeader: wire.keyHeader }),
    encode: (ask, target) => {
      const plain = callHeaders(ask.generation);
      const headers = joined.get(plain) ?? [...plain, ...(wire.headers ?? [])];
      joined.set(plain, headers);
      const own = Object.entries(ask.prompt.body ?? {}).filter(([name]) => wire.saysOtherwise?.includes(name) !== true);
      const body = merged(merged(wire.body(ask, target), ask.generation.body), Object.fromEntries(own));
      return { method: 'POST', headers, body: JSON.stringify(body) };
    },
    streams,
    listen: (shape) =>
      streams(shape)
        ? new JsonStreamListener(wire.hearer(shape), wire.stream!)
        : new JsonWholeListener(wire.hearer(shape)),
  };
}

/** Fields of the second win; the objects in which wires keep their settings are merged one level down. */
function merged(first: Record<string, unknown>, second: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const body = { ...first, ...second };
  for (const name of ['parameters', 'options', 'sampling_params']) {
    if (isObject(first[name]) && isObject(second[name])) body[name] = { ...first[name], ...second[name] };
  }
  return body;
}
