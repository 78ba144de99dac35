import { refusalShape } from '../api/shapes.ts';
import { z } from '../api/shape.ts';
import type { Route } from './route.ts';
import { apiRoot, routes } from './routes.ts';

/** The API as an OpenAPI 3.1 document, made from the routes and the shapes that check what goes in and out. */
export function openApi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Schemas = {};
  for (const route of routes) {
    const path = `${apiRoot}${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[route.method] = operationOf(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'dyno ui',
      version,
      description:
        'What the page of `dyno ui` asks its server. Requests that change something carry the header x-llmdyno: 1; beyond loopback all carry the token, as the cookie dyno_token or as Authorization: Bearer.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: { schemas: { ...schemas, Refusal: jsonSchema(refusalShape, schemas) } },
  };
}

type Schemas = Record<string, unknown>;

function operationOf(route: Route, schemas: Schemas): Record<string, unknown> {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
  const media = typeof route.answer === 'string' ? route.answer : 'application/json';
  const schema = typeof route.answer === 'string' ? { type: 'string' } : jsonSchema(route.answer, schemas);
  return {
    operationId: `${route.method}${route.path.replaceAll(/[/:]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: route.about,
    parameters: [...inPath, ...inQuery],
    ...(route.body !== undefined && { requestBody: { required: true, content: bodyOf(route.body, schemas) } }),
    responses: {
      200: { description: 'as asked', content: { [media]: { schema } } },
      400: {
        description: 'refused, with every reason in both languages',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
  };
}

function bodyOf(body: NonNullable<Route['body']>, schemas: Schemas): Record<string, unknown> {
  return body === 'bytes'
    ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: jsonSchema(body, schemas) } };
}

/** A shape as JSON Schema; the parts it shares with others are put among the schemas of the document. */
function jsonSchema(shape: z.ZodType, schemas: Schemas): Record<string, unknown> {
  const made = JSON.stringify(z.toJSONSchema(shape, { target: 'draft-2020-12', io: 'input' }));
  const {
    $schema: _,
    $defs,
    ...schema
  } = JSON.parse(made.replaceAll('"#/$defs/', '"#/components/schemas/')) as Schemas;
  Object.assign(schemas, $defs);
  return schema;
}
