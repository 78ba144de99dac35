/** zod, entered here and nowhere else in the room: docs/decisions/zod.md says why it was chosen. */
export * as z from 'zod';
