import { z } from './shape.ts';
import { problems } from '../../../core/index.ts';
import type { AnswerText, Exchange, ProblemCode } from '../../../core/index.ts';
import type { Same } from './same.ts';

const maybe = z.number().nullable();
const tokens = z.object({ planned: maybe, server: maybe, client: maybe });
const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/** One line of exchanges.ndjson. */
export const exchangeSchema = z.object({
  seq: z.int(),
  promptId: z.string(),
  labels: z.record(z.string(), z.string()),
  warmup: z.boolean(),
  dueMs: z.number(),
  sentMs: maybe,
  connectMs: maybe,
  firstByteMs: maybe,
  chunks: z.object({
    atMs: z.array(z.number()),
    tokens: z.array(z.number()),
    kinds: z.string(),
    emittedMs: z.array(z.number()).exactOptional(),
  }),
  endMs: z.number(),
  inputTokens: tokens,
  outputTokens: tokens,
  cachedTokens: maybe,
  reasoningTokens: maybe,
  inputChars: z.number(),
  outputChars: z.number(),
  finish: z.string().nullable(),
  httpStatus: maybe,
  attempts: z.int().min(0),
  serverSteps: z
    .object({
      batchSize: z.array(z.number()),
      queueWaitMs: z.array(z.number()),
      timesMs: z.array(z.number()).exactOptional(),
    })
    .exactOptional(),
  serverTimes: z.object({ queueMs: maybe, prefillMs: maybe, decodeMs: maybe, totalMs: maybe }).exactOptional(),
  outcome: z.enum(['ok', 'failed', 'cancelled', 'dropped']),
  problem: z
    .object({
      code: z.enum(problemCodes),
      status: maybe,
      words: z.string().nullable(),
      retryAfterMs: z.number().exactOptional(),
    })
    .nullable(),
});

/** One line of answers.ndjson. */
export const answerSchema = z.object({ seq: z.int(), text: z.string(), reasoning: z.string() });

// The compiler refuses this file when a shape drifts from core.
true satisfies Same<z.infer<typeof exchangeSchema>, Exchange>;
true satisfies Same<z.infer<typeof answerSchema>, AnswerText>;
