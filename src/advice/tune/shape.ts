/** The one place where this room meets zod. */
export * as z from 'zod';
