// docs/reference/files.md: what a run leaves on disk; field tables from the JSON Schemas, words from the comments in core.
import { cell, code, generated, page, sources, table } from './markdown.mjs';

const homes = {
  run: {
    title: '## plan.json',
    says: 'Written before the first byte is sent; everything needed to repeat the run, secrets never. `schemas/run.schema.json`.',
    words: {
      '': ['runRecordSchema'],
      plan: ['RunPlan'],
      'plan.target': ['Target'],
      'plan.dataset': ['DatasetFacts'],
      'plan.generation': ['Generation'],
      'plan.load': ['LoadShape'],
      'plan.timeouts': ['Timeouts'],
    },
  },
  exchange: {
    title: '## exchanges.ndjson',
    says: 'One line per planned request, warm-up included, appended as they end. Times are float ms on the run’s clock, whose zero is `monotonicOriginNs` of plan.json. A torn last line, as a killed process leaves it, is passed over. `schemas/exchange.schema.json`.',
    words: {
      '': ['Exchange'],
      chunks: ['Chunks'],
      inputTokens: ['TokenCounts'],
      outputTokens: ['TokenCounts'],
      serverSteps: ['ServerSteps'],
      problem: ['Problem'],
    },
  },
  answer: {
    title: '## answers.ndjson',
    says: 'What the server wrote, one line per request that was answered; absent with `--no-text`. `schemas/answer.schema.json`.',
    words: { '': ['AnswerText'] },
  },
  summary: {
    title: '## summary.json',
    says: 'Written at the end; also what `dyno run --json` prints. A folder without it is a run that was killed: `dyno report` makes its summary from the records. Every figure is a formula in [metrics.md](metrics.md). A *distribution* is `{mean, min, max, p50, p66, p75, p80, p90, p95, p98, p99, n}`, a *speedDistribution* has `p1` and `p10` too. `schemas/summary.schema.json`.',
    words: {
      '': ['Summary', 'Figures'],
      counts: ['Counts'],
      goodput: ['Goodput'],
      steady: ['Steady', 'Figures'],
      client: ['ClientHealth'],
      verdict: ['Verdict'],
      'verdict.findings[]': ['Finding'],
      'alsoPrinted[]': ['Mention'],
    },
  },
  'sweep-file': {
    title: '## sweep.json',
    says: 'In the folder of a sweep; its run folders lie beside it. `dyno sweep --json` prints the same with the summaries in `points` (`schemas/sweep.schema.json`). `schemas/sweep-file.schema.json`.',
    words: { '': ['sweepRecordSchema'], 'findings[]': ['Finding'], 'summaries[]': [] },
  },
};

const tree = `\`\`\`
dyno-runs/                                  the store: --store DIR, or $DYNO_STORE
  20261115-042312-3f9a-nightly/             a run: date, time, chance, label
    plan.json         exchanges.ndjson      answers.ndjson      summary.json      tags.json
  20261115-044424-7946-sweep-nightly/       a sweep
    sweep.json        tags.json
    20261115-044424-7f6e-nightly/           its runs, as above
\`\`\``;

export async function filesPage({ jsonSchemas }, root) {
  const comments = commentsIn((await sources(root)).filter(([path]) => /^(core|store\/schema)\//.test(path)));
  const schemas = jsonSchemas();
  const parts = Object.entries(homes).map(([name, { title, says, words }]) => {
    const schema = schemas[name];
    const rows = [...fields(schema, schema, '')].map(({ path, type, needed }) => {
      const [, parent, last] = /^(?:(.*)\.)?([^.]+)$/.exec(path);
      const meaning = (words[parent ?? ''] ?? []).map((home) => comments.get(`${home}.${last.replace('[]', '')}`));
      return [code(path) + (needed ? '' : ' (optional)'), cell(type), cell(inWords(meaning))];
    });
    return page(title, says, table(['field', 'type', 'meaning'], rows)).trimEnd();
  });
  return page(
    '# Files',
    generated,
    'A run is a folder of plain text that anything can read: JSON documents that are renamed into place when they are whole, and NDJSON records that are only ever appended to. Unknown is `null`, never 0. Fields may be added within a version; the `schema` word changes when a meaning does. JSON Schemas (draft 2020-12) are shipped in `schemas/`.',
    tree,
    '`tags.json` is `{"schema": "llmdyno.tags/1", "tags": […]}`, written by `dyno runs tag`.',
    '',
    'Files are made for their owner alone (0600, folders 0700): answers and error words of a server may be private. `DYNO_STORE_READERS=group` makes new ones 0640 and 0750, `everybody` 0644 and 0755; the umask takes away from them as always.',
    ...parts,
  );
}

/** Names of the code that a comment uses, in a reader's words. */
const spoken = { hiddenValue: '`(hidden)`', 'outputKindLetters per': 'a (answer), r (reasoning), t (tool) per' };

function inWords(meanings) {
  let text = meanings.find((meaning) => meaning !== undefined) ?? '';
  for (const [name, words] of Object.entries(spoken)) text = text.replaceAll(name, words);
  return text;
}

function* fields(schema, whole, prefix) {
  const shape = resolve(schema, whole);
  for (const [name, property] of Object.entries(shape.properties ?? {})) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const needed = (shape.required ?? []).includes(name) || Object.hasOwn(property, 'default');
    yield { path, type: typeOf(property, whole), needed };
    yield* below(property, whole, path);
  }
}

/** The fields inside a property; distributions and whole summaries are told once, by name. */
function* below(property, whole, path) {
  const inner = present(resolve(property, whole), whole);
  if (inner.length !== 1 || isNamed(property)) return;
  const [only] = inner;
  if (only.type === 'object') yield* fields(only, whole, path);
  else if (only.type === 'array' && !isNamed(only.items))
    yield* fields(present(resolve(only.items, whole), whole)[0] ?? {}, whole, `${path}[]`);
}

function isNamed(schema) {
  const list = schema.anyOf ?? schema.oneOf ?? [schema];
  return list.some((one) => ['distribution', 'speedDistribution', 'summary'].includes(refOf(one)));
}

function refOf(schema) {
  return /\/([^/]+)$/.exec(schema.$ref ?? '')?.[1] ?? null;
}

function resolve(schema, whole) {
  const name = refOf(schema);
  return name === null ? schema : resolve(whole.$defs[name], whole);
}

/** The alternatives of a schema that are not null. */
function present(schema, whole) {
  const list = schema.anyOf ?? schema.oneOf ?? [schema];
  return list.map((one) => resolve(one, whole)).filter((one) => one.type !== 'null');
}

function typeOf(schema, whole) {
  const name = refOf(schema);
  if (name !== null) return name.startsWith('__schema') ? typeOf(whole.$defs[name], whole) : name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.length > 8 ? 'one of a closed list' : schema.enum.join(', ');
  if (schema.anyOf ?? schema.oneOf) {
    const all = (schema.anyOf ?? schema.oneOf).map((one) => typeOf(one, whole));
    return [...new Set(all)].join(' or ');
  }
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {}, whole)}`;
  if (schema.type === 'object' && schema.properties === undefined) return 'map';
  return schema.type ?? 'anything';
}

/** Comments over the fields of interfaces and zod objects, by `Home.field`. */
function commentsIn(files) {
  const found = new Map();
  const declared = /^(?:export )?(?:interface (\w+)|const (\w+) = z\s*\.?object\().*\{\n([\s\S]*?)^\}/gm;
  const commented = /\/\*\*\s*((?:[^*]|\*(?!\/))*?)\s*\*\/\s*(\w+)\??:/g;
  for (const [, text] of files) {
    for (const [, interfaceName, constName, body] of text.matchAll(declared)) {
      for (const [, comment, field] of body.matchAll(commented))
        found.set(`${interfaceName ?? constName}.${field}`, comment.replaceAll(/\s*\n\s*\*\s*/g, ' '));
    }
  }
  return found;
}
