import { expect, test } from 'vitest';
import { openApi } from './open-api.ts';
import { apiRoot, routes } from './routes.ts';

const document = openApi('0.0.0') as {
  openapi: string;
  paths: Record<
    string,
    Record<string, { operationId: string; parameters: { name: string; in: string }[]; requestBody?: unknown }>
  >;
};

test('every route stands in the document under its path and method, and nothing else does', () => {
  const told = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const wanted = routes.map(({ method, path }) => `${method} ${apiRoot}${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(told.toSorted()).toEqual(wanted.toSorted());
});

test('what stands in a path is a parameter, what changes something has a body or deletes, names are unique', () => {
  const names: string[] = [];
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      names.push(operation.operationId);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath);
      expect(operation.requestBody !== undefined).toBe(method === 'post');
    }
  expect(new Set(names).size).toBe(names.length);
});

test('the document is plain JSON: no reference leads nowhere', () => {
  const text = JSON.stringify(document);
  const whole = JSON.parse(text) as unknown;
  const at = (path: string, from: unknown): unknown =>
    path
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], from);
  expect(text).toContain('#/components/schemas/distribution');
  for (const [, reference] of text.matchAll(/"\$ref":"([^"]+)"/g)) expect(at(reference!, whole)).toBeDefined();
});
