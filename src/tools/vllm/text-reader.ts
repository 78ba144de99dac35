import { exactMethod, printable } from '../../core/index.ts';
import { means, normalLabel } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { namesModel } from '../reading/surroundings.ts';
import type { BlockReader, TextFormat } from '../reading/file-format.ts';
import { servingLabels, servingStatistic } from './labels.ts';

const opening = /^\s*=+ (?:Serving|Online Serving) Benchmark Result =+\s*$/i;
const closing = /^\s*={30,}\s*$/;
const preamble = /^\s*(?:Namespace\(|Traffic request rate:|Maximum request concurrency:|Burstiness factor:)/;
/** Lines of other text between the preamble and the block. */
const patience = 400;

/** "Serving Benchmark Result" of vLLM (Python and Rust clients, every width) and of SGLang, with the lines printed before it. */
export const servingText: TextFormat = {
  tool: 'vllm',
  opens: (line) => (line.includes('Benchmark Result =') && opening.test(line)) || preamble.test(line),
  reader: (complain) => new ServingBlock(complain),
};

class ServingBlock implements BlockReader {
  private draft: PointDraft | null = null;
  private inside = false;
  private before = new Map<string, string>();
  private waited = 0;

  constructor(private readonly complain: Complain) {}

  feed(line: string, lineNumber: number): 'more' | 'done' | 'not-mine' {
    if (opening.test(line)) {
      if (this.inside) return 'not-mine';
      this.inside = true;
      this.draft = new PointDraft('vllm', lineNumber);
      return 'more';
    }
    if (!this.inside) return this.takePreamble(line);
    if (closing.test(line)) return 'done';
    if (line.trim() === '' || /^\s*-{3,}.*-{3,}\s*$/.test(line)) return 'more';
    const colon = line.lastIndexOf(': ') === -1 ? line.indexOf(':') : line.indexOf(':');
    if (colon !== -1)
      this.takeLine(normalLabel(line.slice(0, colon)), line.slice(colon + 1).trim(), lineNumber, this.draft!);
    return 'more';
  }

  continues(line: string): boolean {
    if (!this.inside) return opening.test(line);
    if (/^\s*-{3,}.*-{3,}\s*$/.test(line)) return true;
    const label = normalLabel(line.slice(0, Math.max(0, line.indexOf(':'))));
    return servingLabels.has(label) || servingStatistic(label) !== undefined;
  }

  private takePreamble(line: string): 'more' | 'not-mine' {
    const space = /^\s*Namespace\((.{1,20000})\)\s*$/.exec(line);
    if (space !== null) {
      for (const name of ['num_prompts', 'max_concurrency', 'request_rate', 'model', 'tokenizer']) {
        const value = new RegExp(`(?:^|[ ,])${name}=('[^']*'|[^,]+)`).exec(space[1]!);
        if (value !== null) this.before.set(name, value[1]!.replaceAll("'", ''));
      }
    } else {
      const rate = /^\s*Traffic request rate:\s*(\S+)/.exec(line);
      const cap = /^\s*Maximum request concurrency:\s*(\S+)/.exec(line);
      if (rate !== null) this.before.set('request_rate', rate[1]!);
      if (cap !== null) this.before.set('max_concurrency', cap[1]!);
    }
    this.waited++;
    return this.waited > patience ? 'not-mine' : 'more';
  }

  private takeLine(label: string, value: string, lineNumber: number, draft: PointDraft): void {
    if (label === 'backend') {
      draft.server.set('backend', printable(value).slice(0, 60));
      return;
    }
    const statistic = servingStatistic(label);
    const meaning = statistic === undefined ? servingLabels.get(label) : statistic;
    if (meaning === undefined || meaning === null) return;
    if (meaning.key === 'load.ratePerSec' && /^(inf|trace|nan)$/i.test(value)) {
      this.before.set('request_rate', value.toLowerCase());
      return;
    }
    if (meaning.key.startsWith('load.') && /^(none|not set)$/i.test(value)) return;
    draft.putText(meaning, value, lineNumber, this.complain);
  }

  end(): PointDraft[] {
    const draft = this.draft;
    if (draft === null) return [];
    if (draft.facts.size < 3) {
      this.complain(draft.line, {
        en: 'Serving Benchmark Result without figures',
        zh: 'Serving Benchmark Result 中没有可读的数据',
      });
      return [];
    }
    this.useBefore(draft);
    settleServing(draft);
    return [draft];
  }

  /** A server may call a model what it likes; its tokenizer lies in the model's own folder. */
  private nameModel(draft: PointDraft, served: string): void {
    const folder = this.before.get('tokenizer')?.replace(/\/+$/, '').split('/').at(-1) ?? '';
    const own = !namesModel(served) && namesModel(folder) ? folder : served;
    draft.model = printable(own).slice(0, 200);
    if (own !== served) draft.server.set('servedModel', printable(served).slice(0, 200));
  }

  private useBefore(draft: PointDraft): void {
    const number = (name: string): number | null => {
      const text = this.before.get(name);
      return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
    };
    const put = (key: 'counts.planned' | 'load.concurrency' | 'load.ratePerSec', value: number | null): void => {
      if (value !== null && !draft.facts.has(key))
        draft.put(means(key), { value, digits: String(value), line: draft.line });
    };
    put('counts.planned', number('num_prompts'));
    put('load.concurrency', number('max_concurrency'));
    put('load.ratePerSec', number('request_rate'));
    const model = this.before.get('model');
    if (model !== undefined) this.nameModel(draft, model);
    if (this.before.get('request_rate') === 'inf') draft.server.set('requestRate', 'inf');
  }
}

/** What vLLM and SGLang sources share: totals become means per request, and the kind of load follows from rate and cap. */
export function settleServing(draft: PointDraft): void {
  draft.stream ??= true;
  draft.percentileMethod = exactMethod;
  draft.tokenSource = 'server';
  if (draft.server.has('backend') || draft.facts.has('server.retokenizedOutputTokens')) draft.tool = 'sglang';
  const ok = draft.get('counts.ok');
  for (const [total, mean] of [
    ['totals.inputTokens', 'inputTokens.mean'],
    ['totals.outputTokens', 'outputTokens.mean'],
  ] as const) {
    const fact = draft.facts.get(total);
    if (fact === undefined || ok === null || ok === 0 || draft.facts.has(mean)) continue;
    draft.derived(mean, fact.value / ok);
  }
  const rate = draft.get('load.ratePerSec');
  if (rate === null) keepQueueTimeApart(draft);
  draft.kind = rate !== null ? 'open' : draft.get('load.concurrency') !== null ? 'closed' : 'open';
}

/** Without a rate every request is "due" at once: the time in the client's queue is then no lateness, only kept. */
function keepQueueTimeApart(draft: PointDraft): void {
  for (const [key, fact] of draft.facts) {
    if (!key.startsWith('latenessMs.')) continue;
    draft.facts.delete(key);
    draft.facts.set(`server.clientQueueTimeMs.${key.slice('latenessMs.'.length)}`, fact);
  }
}
