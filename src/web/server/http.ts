/** hono, entered here and nowhere else in the room: docs/decisions/hono.md says why it was chosen. */
export { Hono } from 'hono';
export type { Context } from 'hono';
export { serve } from '@hono/node-server';
export type { ServerType } from '@hono/node-server';
