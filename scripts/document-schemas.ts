import * as z from 'zod';
import { summarySchema } from '../src/results/store/index.ts';

/**
 * The documents that commands print with `--json` beside those of the store and of dyno plan. Keys that these schemas do
 * not name are allowed: documents grow. scripts/schemas.mjs writes them to schemas/, test/e2e/documents.test.ts holds
 * every command to its own.
 */
const maybe = z.number().nullable();
const finding = summarySchema.shape.verdict.shape.findings.element;
const interval = z.tuple([z.number(), z.number()]);

const change = {
  changeRatio: maybe,
  interval: interval.nullable(),
  pValue: maybe,
  significant: z.boolean(),
};

const compare = z.object({
  schema: z.literal('llmdyno.compare/1'),
  runs: z.array(z.string()),
  names: z.array(z.string()),
  baseline: z.string(),
  comparable: z.boolean(),
  metrics: z.array(
    z.object({
      metric: z.string(),
      load: maybe,
      place: z.string().exactOptional(),
      values: z.array(maybe),
      basis: z.enum(['steady', 'whole']),
      comparable: z.boolean(),
      ...change,
      changes: z.array(z.object(change)),
    }),
  ),
  findings: z.array(finding),
  gates: z.array(
    z.object({
      text: z.string(),
      load: maybe,
      place: z.string().exactOptional(),
      run: z.string(),
      state: z.enum(['passed', 'failed', 'unsure', 'unknown']),
      failed: z.boolean(),
      needs: maybe,
      comparable: z.boolean(),
      decidedBy: z.enum(['interval', 'value']).nullable(),
      measured: maybe,
    }),
  ),
  frontier: z
    .array(
      z.object({
        name: z.string(),
        unit: z.enum(['system', 'card', 'watt', 'price']),
        speed: z.enum(['p50', 'p10', 'p1']),
        points: z.array(
          z.object({
            load: z.number(),
            runIds: z.array(z.string()),
            userTokensPerSec: z.number(),
            throughput: z.number(),
            valid: z.boolean(),
            dominated: z.boolean(),
          }),
        ),
        at: z.array(z.object({ userTokensPerSec: z.number(), throughput: maybe })),
      }),
    )
    .exactOptional(),
  promises: z
    .array(
      z.object({
        run: z.string(),
        load: maybe,
        place: z.string().exactOptional(),
        promise: z.string(),
        measured: maybe,
        kept: z.boolean().nullable(),
      }),
    )
    .exactOptional(),
});

const trend = z.object({
  schema: z.literal('llmdyno.trend/1'),
  metric: z.string(),
  curves: z.array(
    z.object({
      name: z.string(),
      points: z.array(
        z.object({
          runId: z.string(),
          label: z.string().nullable(),
          startedAt: z.string().nullable(),
          value: maybe,
          interval: interval.nullable(),
          level: maybe,
          valid: z.boolean(),
        }),
      ),
      changes: z.array(
        z.object({
          at: z.int(),
          runId: z.string(),
          changeRatio: maybe,
          interval: interval.nullable(),
          before: z.int(),
          after: z.int(),
        }),
      ),
    }),
  ),
});

const found = z.object({
  schema: z.literal('llmdyno.find/1'),
  answer: z
    .object({ kind: z.enum(['concurrency', 'rate', 'lanes']), value: z.number(), confirmed: z.boolean() })
    .nullable(),
  breaksAt: maybe,
  limit: z.enum(['batch', 'kv', 'prefill', 'decode', 'front', 'client', 'range', 'unknown']),
  slo: z.array(z.object({ promise: z.string(), measured: maybe, kept: z.boolean().nullable() })),
  probes: z.array(
    z.object({
      value: z.number(),
      kept: z.boolean(),
      fresh: z.boolean(),
      durationMs: maybe,
      requests: z.int(),
      runId: z.string(),
    }),
  ),
  durationMs: z.number(),
  why: z.string(),
});

const imported = z.object({
  schema: z.literal('llmdyno.import/1'),
  sweeps: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      file: z.string(),
      variable: z.enum(['concurrency', 'rate', 'grid']),
      points: z.array(summarySchema),
      origins: z.array(
        z.object({
          name: z.string(),
          value: z.string(),
          where: z.enum(['heading', 'command', 'text']),
          line: z.int(),
        }),
      ),
      findings: z.array(finding),
    }),
  ),
  problems: z.array(z.object({ file: z.string(), line: z.int(), message: z.string() })),
});

const audit = z.object({
  schema: z.literal('llmdyno.audit/1'),
  points: z.array(
    z.object({
      title: z.string(),
      file: z.string().nullable(),
      runId: z.string(),
      label: z.string().nullable(),
      concurrency: maybe,
      ratePerSec: maybe,
      status: z.enum(['clean', 'incomplete', 'repairable', 'unusable']),
      findings: z.array(finding),
      repaired: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  sweepFindings: z.array(z.intersection(finding, z.object({ title: z.string() }))),
});

const errors = z.record(z.string(), z.unknown());
const fit = z.object({
  schema: z.literal('llmdyno.fit/1'),
  sweeps: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      profile: z.object({ name: z.string(), cost: z.record(z.string(), z.unknown()) }),
      maxBatchSize: maybe,
      maxBatchSizeFrom: z.enum(['given', 'plateau', 'not-reached']),
      limit: z.string(),
      used: z.array(z.number()),
      excluded: z.array(z.object({ concurrency: maybe, why: z.string() })),
      intervals: z.record(z.string(), interval),
      residual: maybe,
      heldOut: errors.nullable(),
      interpolation: errors.nullable(),
      unknown: z.array(z.object({ constant: z.string(), why: z.string(), run: z.string() })).optional(),
      next: z
        .object({
          concurrency: z.number(),
          inputTokens: z.number().optional(),
          outputTokens: z.number().optional(),
          why: z.string(),
        })
        .nullable(),
    }),
  ),
  skipped: z.array(z.object({ id: z.string(), title: z.string(), why: z.string() })),
});

const doctor = z.object({
  schema: z.literal('llmdyno.doctor/1'),
  checks: z.array(
    z.object({
      code: z.string(),
      group: z.enum(['host', 'client', 'engine']),
      status: z.enum(['ok', 'warn', 'bad', 'unknown']),
      evidence: z.string(),
      fix: z.string().nullable(),
    }),
  ),
});

const three = z.object({ p50: maybe, p99: maybe, max: maybe });
const selftest = z.object({
  schema: z.literal('llmdyno.selftest/1'),
  concurrency: z.int(),
  stamp: z
    .object({
      field: z.string().nullable(),
      unit: z.enum(['ns', 'us', 'ms', 's']),
      clock: z.enum(['monotonic', 'realtime']),
    })
    .nullable(),
  timestampErrorMs: three,
  scheduleSlipMs: three,
  ratePerSec: z.object({ asked: z.number(), achieved: maybe }),
  tokenGapMs: maybe,
  eventsPerSec: z.number(),
  eventsPerSecPerCore: maybe,
  requestsPerSecPerCore: maybe,
  streamsPerCore: maybe,
  cpuRatio: maybe,
  cpuWaitRatio: maybe,
  rssBytes: maybe,
  unaccounted: z.int(),
  verdict: z.object({ valid: z.boolean(), findings: z.array(finding) }),
});

const device = z.object({
  vendor: z.string(),
  index: maybe,
  name: z.string().nullable(),
  busId: z.string().nullable(),
  uuid: z.string().nullable(),
  card: maybe,
  chip: maybe,
  memoryTotalBytes: maybe,
  memoryUsedBytes: maybe,
  memoryUsedRatio: maybe,
  utilizationRatio: maybe,
  powerW: maybe,
  powerLimitW: maybe,
  temperatureC: maybe,
  health: z.string().nullable(),
  numaNode: maybe,
  cpuAffinity: z.string().nullable(),
  processes: z.array(z.object({ pid: maybe, name: z.string().nullable(), memoryBytes: maybe })),
});

const devices = z.object({
  schema: z.literal('llmdyno.devices/1'),
  devices: z.array(device),
  numa: z
    .object({
      source: z.string(),
      nodes: z.array(z.object({ node: z.int(), cpus: z.string(), cpuCount: z.int() })),
      distances: z.array(z.array(z.number())).nullable(),
    })
    .nullable(),
  binding: z.object({ node: z.int(), command: z.string(), evidence: z.string() }).nullable(),
  layouts: z.array(z.object({ tool: z.string(), layout: z.string(), verified: z.boolean() })),
  warnings: z.array(z.string()),
  raw: z.array(z.object({ tool: z.string(), command: z.string(), text: z.string() })),
});

const published = {
  compare: { schema: compare, title: 'dyno compare --json (llmdyno.compare/1)' },
  find: { schema: found, title: 'dyno find --json (llmdyno.find/1)' },
  trend: { schema: trend, title: 'dyno runs --trend METRIC --json (llmdyno.trend/1)' },
  import: { schema: imported, title: 'dyno import --json (llmdyno.import/1)' },
  audit: { schema: audit, title: 'dyno audit --json (llmdyno.audit/1)' },
  fit: { schema: fit, title: 'dyno fit --json (llmdyno.fit/1)' },
  doctor: { schema: doctor, title: 'dyno doctor --json (llmdyno.doctor/1)' },
  selftest: { schema: selftest, title: 'dyno selftest --json (llmdyno.selftest/1)' },
  devices: { schema: devices, title: 'dyno devices --json (llmdyno.devices/1)' },
} as const;

/** JSON Schemas (draft 2020-12) of those documents, by the name of their file. */
export function documentJsonSchemas(): Record<keyof typeof published, Record<string, unknown>> {
  const entries = Object.entries(published).map(([name, { schema, title }]) => {
    const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
    return [name, { $schema, title, ...rest }];
  });
  return Object.fromEntries(entries) as Record<keyof typeof published, Record<string, unknown>>;
}
