import type { Summary } from '../../core/index.ts';

/** A number that the source told of its server, under the tool's own name; null where it did not. */
export function serverFigure(point: Summary, name: string): number | null {
  const { server } = point;
  const value = server !== null && Object.hasOwn(server, name) ? server[name] : null;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The greatest of a series that the server told; null where it did not. */
export function greatest({ server }: Summary, name: string): number | null {
  const told = server !== null && Object.hasOwn(server, name) ? server[name] : null;
  const max = typeof told === 'object' && told !== null ? (told as { max?: unknown }).max : null;
  return typeof max === 'number' && Number.isFinite(max) ? max : null;
}
