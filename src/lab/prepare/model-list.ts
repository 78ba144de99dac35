import { exitCodes, jsonIn, membersOf, mistake, printable, problem, UserError } from '../../core/index.ts';
import { fetchOnce } from '../../client/load/index.ts';
import type { Fetched, Secrets } from '../../client/load/index.ts';
import { protocolFor, refusalWords } from '../../client/protocol/index.ts';
import type { Address } from '../../client/protocol/index.ts';
import { lasting, unreachable } from './preflight.ts';
import type { Server } from './preflight.ts';

/** A model as a server lists it. */
export interface ListedModel {
  id: string;
  /** How many tokens it takes, prompt and answer; null = the server does not say. */
  contextTokens: number | null;
  /** Its name, with what else the server says that makes it another model or another instance of it. */
  described: string;
}

/** How long a server may take to list its models where a run can do without. */
const patienceMs = 3000;
/** Services list thousands; the one that is asked is always kept. */
const mostKept = 50;

/** All that the server lists; empty = nothing that can be read, or a wire whose servers have no such list. */
export async function modelsListed(
  address: Pick<Address, 'url'>,
  server: Server,
  secrets: Secrets,
  timeoutMs = patienceMs,
): Promise<ListedModel[]> {
  if (protocolFor(server).listsModels !== true) return [];
  const { fetched } = await fetchModels(address, server, secrets, Math.min(timeoutMs, patienceMs));
  return modelsIn(fetched.body);
}

/** A list as it is kept with a point, to be held beside the next one's: the model that is asked first; null = there is none. */
export function listKept(models: readonly ListedModel[], asked: string): string[] | null {
  const [first, others] = [models.filter(({ id }) => id === asked), models.filter(({ id }) => id !== asked)];
  return models.length === 0 ? null : [...first, ...others].slice(0, mostKept).map((one) => one.described);
}

/** What the server lists, with at least one model in it; a server that lists none is a UserError asking for --model. */
export async function someModels(
  address: Address,
  server: Server,
  secrets: Secrets,
  timeoutMs: number,
): Promise<[ListedModel, ...ListedModel[]]> {
  const { fetched, url } = await fetchModels(address, server, secrets, timeoutMs);
  const { status, body } = fetched;
  const refused = status === 401 || status === 403 ? problem('http-4xx', refusalWords(body), status) : fetched.problem;
  if (refused !== null && lasting.has(refused.code)) throw unreachable(address, server, refused);
  const [first, ...others] = modelsIn(body);
  if (first !== undefined) return [first, ...others];
  const refusal = status === null || status < 300 ? null : refusalWords(body);
  const said = refusal === null ? '' : `: ${printable(refusal).slice(0, 200)}`;
  throw new UserError(
    mistake(
      'model-unknown',
      `${url} lists no models (HTTP ${status ?? '–'})${said}`,
      `${url} 未列出模型（HTTP ${status ?? '–'}）${said}`,
      'Name the model with --model NAME, and check the address.',
      '请用 --model 指定模型名称，并检查地址。',
    ),
    exitCodes.unreachable,
  );
}

async function fetchModels(
  address: Pick<Address, 'url'>,
  server: Server,
  secrets: Secrets,
  timeoutMs: number,
): Promise<{ fetched: Fetched; url: string }> {
  const url = new URL(address.url);
  const prefix = /^(.*\/v\d+)\//.exec(url.pathname)?.[1] ?? '/v1';
  const asked = { ...server, model: '' };
  const list = { method: 'GET', url: `${url.origin}${prefix}/models`, body: '' } as const;
  return { fetched: await fetchOnce(asked, list, secrets, timeoutMs), url: list.url };
}

/** What tells two instances of one name apart: vLLM's and SGLang's refusal, then XInference's. Times and addresses change by themselves. */
const telling = [
  'root',
  'max_model_len',
  'model_engine',
  'model_format',
  'model_size_in_billions',
  'quantization',
  'revision',
  'context_length',
  'replica',
];

/** The models of a list that a stranger sent; none where it is no such list. */
function modelsIn(body: string): ListedModel[] {
  const data = membersOf(jsonIn(body))['data'];
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry: unknown) => {
    const { id, ...said } = membersOf(entry);
    if (typeof id !== 'string' || id === '') return [];
    const told = telling.flatMap((name) => {
      const value = said[name];
      return (typeof value === 'string' || typeof value === 'number') && value !== id ? [`${name} ${value}`] : [];
    });
    const most = said['max_model_len'] ?? said['context_length'];
    const described = printable(told.length === 0 ? id : `${id} (${told.join(', ')})`).slice(0, 300);
    const contextTokens = typeof most === 'number' && Number.isSafeInteger(most) && most > 0 ? most : null;
    return [{ id, contextTokens, described }];
  });
}
