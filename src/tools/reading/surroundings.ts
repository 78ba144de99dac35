import { printable } from '../../core/index.ts';
import type { Origin } from './imported.ts';
import type { PointDraft } from './point-draft.ts';

/** Engines by the words that people put into headings and commands; the names are those that charts show. */
const engines: readonly (readonly [RegExp, string])[] = [
  [/xinference/i, 'XInference'],
  [/\bvllm\b/i, 'vLLM'],
  [/\bsglang\b/i, 'SGLang'],
  [/mind\s?spore/i, 'MindSpore'],
  [/\bATB/, 'ATB'],
  [/mind\s?ie/i, 'MindIE'],
  [/lmdeploy/i, 'LMDeploy'],
  [/tensorrt-llm|trt-llm/i, 'TensorRT-LLM'],
  [/\btgi\b|text-generation-inference/i, 'TGI'],
  [/ollama/i, 'Ollama'],
  [/llama\.cpp|llama-server/i, 'llama.cpp'],
];

/** Commands that start a server: the engine that then answers. */
const servers: readonly (readonly [RegExp, string])[] = [
  [/^(?:\S*\/)?vllm serve\b|vllm\.entrypoints/, 'vLLM'],
  [/^(?:\S*\/)?xinference launch\b/, 'XInference'],
  [/mindieservice_daemon/, 'MindIE'],
  [/sglang\.launch_server/, 'SGLang'],
];

const benchmarks =
  /^(?:\S*\/)?(?:evalscope-perf|evalscope perf|benchmark|vllm bench serve)\s|benchmark_serving\.py|bench_serving/;
/** "Qwen2-72B-Chat", "DeepSeek-R1-Distill-Qwen-32B", "QwQ-32B": words joined by dashes, one of them a size. */
const modelShape = /(?<![\w.-])[A-Za-z][\w.]*(?:-[\w.]+)*-\d+(?:\.\d+)?B(?:-[A-Za-z][\w.]*)*(?![\w-])/i;
const settingShape = /["'“”]?\b([a-z]+(?:[A-Z][a-z]+){1,6})\b["'“”]?\s*[:：=]\s*(\d{1,9})\b/g;
const longestCommand = 4000;

/** A name that was read somewhere around a block. */
type Found = Omit<Origin, 'name'>;

interface Server {
  heading: number;
  engine: string;
  model: string | null;
  line: number;
}

/** What stands around the blocks of a document: headings, the commands that started servers and those that made blocks. */
export class Surroundings {
  private headings: { text: string; line: number; depth: number }[] = [];
  private running: Server[] = [];
  private benchmark: { words: string[]; line: number } | null = null;
  private unfinished: { text: string; line: number } | null = null;

  heading(text: string, depth: number, line: number): void {
    this.headings = [...this.headings.filter((one) => one.depth < depth), { text, line, depth }];
    this.benchmark = null;
    this.unfinished = null;
  }

  /** Any other line: commands may go on over several, with a backslash at the end of each. */
  line(text: string, line: number): void {
    const bare = this.unfinished === null ? text.trim().replace(/^(?:\$|#|>)\s+/, '') : text.trim();
    if (this.unfinished === null && !/^[\w./-]+ \S|^[\w./-]*mindieservice_daemon/.test(bare)) return;
    const whole: { text: string; line: number } = {
      text: `${this.unfinished?.text ?? ''} ${bare.replace(/\\$/, '')}`.trim(),
      line: this.unfinished?.line ?? line,
    };
    if (bare.endsWith('\\') && whole.text.length < longestCommand) this.unfinished = whole;
    else {
      this.unfinished = null;
      this.command(whole.text, whole.line);
    }
  }

  private command(text: string, line: number): void {
    const bare = text.replace(/^(?:numactl(?:\s+-\S+)+|taskset\s+(?:-\S+\s+)?\S+)\s+/, '');
    const server = servers.find(([shape]) => shape.test(bare));
    const words = bare.split(/\s+/);
    if (server !== undefined) {
      const served =
        /vllm serve\s+(\S+)/.exec(bare)?.[1] ?? valueOf(words, '--model') ?? valueOf(words, '--model-name');
      const at = this.headings.at(-1)?.line ?? 0;
      this.running = [
        ...this.running.filter(({ heading }) => heading === at),
        { heading: at, engine: server[1], model: modelIn(served), line },
      ];
    } else if (benchmarks.test(bare)) this.benchmark = { words, line };
  }

  /** Fills what a block does not say of itself, and notes where it was read. */
  describe(draft: PointDraft): void {
    const model = draft.model === null ? this.model() : null;
    if (model !== null) {
      draft.model = model.value;
      draft.origins.push({ name: 'model', ...model });
    }
    const engine = draft.engine === null ? this.engine() : null;
    if (engine !== null) {
      draft.engine = engine.value;
      draft.origins.push({ name: 'engine', ...engine });
    }
    if (this.benchmark !== null) describeLoad(draft, this.benchmark);
    const own = this.headings.at(-1);
    for (const [, name, value] of own?.text.matchAll(settingShape) ?? []) {
      draft.settings.set(name!, value!);
      draft.origins.push({ name: name!, value: value!, where: 'heading', line: own!.line });
    }
  }

  private model(): Found | null {
    const heading = this.inHeadings((text) => modelShape.exec(text)?.[0] ?? null);
    if (heading !== null) return heading;
    const [server] = this.running;
    if (server !== undefined && server.model !== null && this.running.every(({ model }) => model === server.model))
      return { value: server.model, where: 'command', line: server.line };
    if (this.benchmark === null) return null;
    const { words, line } = this.benchmark;
    const named = valueOf(words, '--model') ?? (words[0]!.endsWith('evalscope-perf') ? words[2] : undefined);
    const value = modelIn(valueOf(words, '--tokenizer')) ?? modelIn(named) ?? plainName(named);
    return value === null ? null : { value, where: 'command', line };
  }

  private engine(): Found | null {
    const heading = this.inHeadings(engineIn);
    if (heading !== null) return heading;
    const [server] = this.running;
    if (server !== undefined && this.running.every(({ engine }) => engine === server.engine))
      return { value: server.engine, where: 'command', line: server.line };
    if (this.benchmark === null) return null;
    const { words, line } = this.benchmark;
    const value = /benchmark_serving\.py/.test(words.join(' '))
      ? engineIn(valueOf(words, '--backend') ?? 'vllm')
      : null;
    return value === null ? null : { value, where: 'command', line };
  }

  /** The innermost heading that says it. */
  private inHeadings(read: (text: string) => string | null): Found | null {
    for (const { text, line } of this.headings.toReversed()) {
      const value = read(text);
      if (value !== null) return { value: printable(value).slice(0, 200), where: 'heading', line };
    }
    return null;
  }
}

/** How a benchmark's command names its requests, its rate and its concurrency. */
const askedFlags: readonly (readonly [
  key: 'counts.planned' | 'load.ratePerSec' | 'load.concurrency',
  RegExp,
  string,
])[] = [
  ['counts.planned', /^(?:--n|-n|--number|--num-prompts|--num-requests|--RequestCount)$/, 'requests'],
  ['load.ratePerSec', /^(?:--request-rate|--rate|--RequestRate)$/, 'rate'],
  ['load.concurrency', /^(?:--parallels?|--max-concurrency|--Concurrency)$/, 'concurrency'],
];

/** What the command asked for where the block or table does not say it; a flag given several times is a sweep's. */
function describeLoad(draft: PointDraft, { words, line }: { words: readonly string[]; line: number }): void {
  const loaded =
    draft.get('load.concurrency') !== null || draft.get('load.ratePerSec') !== null || draft.asked !== null;
  const counted = draft.get('counts.planned') !== null || draft.get('counts.ended') !== null;
  for (const [key, flag, name] of askedFlags) {
    if (key === 'counts.planned' ? counted : loaded) continue;
    const given = words.flatMap((word, i) => {
      const [own, joined] = word.split('=', 2);
      return flag.test(own!) ? [joined ?? words[i + 1] ?? ''] : [];
    });
    const [value] = given;
    if (given.length !== 1 || !/^\d{1,9}(?:\.\d+)?$/.test(value!) || Number(value) === 0) continue;
    draft.derived(key, Number(value));
    draft.origins.push({ name, value: value!, where: 'command', line });
    if (key !== 'counts.planned') draft.kind ??= key === 'load.concurrency' ? 'closed' : 'open';
  }
}

/** "XInference - vLLM" is XInference with vLLM inside; of other words the first that is known counts. */
export function engineIn(text: string): string | null {
  const found = engines.filter(([shape]) => shape.test(text)).map(([, name]) => name);
  const [first, second] = found;
  if (first === undefined) return null;
  // Two that are set against each other are a comparison, which names neither.
  if (second !== undefined && /⚔|\bvs\b/i.test(text)) return null;
  return first === 'XInference' && second !== undefined ? `XInference(${second})` : first;
}

/** The text without the engines it names: "vLLM QPS" and "QPS (vLLM)" leave "QPS". */
export function withoutEngine(text: string): string {
  const bare = engines.reduce((left, [shape]) => left.replace(shape, ' '), text);
  return bare.replaceAll(/[(（[]\s*[)）\]]|^[\s:：_-]+|[\s:：_-]+$/g, ' ').trim();
}

export function namesModel(text: string): boolean {
  return modelShape.test(text);
}

function valueOf(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag);
  const told = at === -1 ? words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) : words[at + 1];
  return told?.replaceAll(/^["']|["']$/g, '');
}

function modelIn(path: string | undefined): string | null {
  const name = path?.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const found = modelShape.exec(name)?.[0];
  return found === undefined ? null : printable(found).slice(0, 200);
}

function plainName(word: string | undefined): string | null {
  return word !== undefined && /^[\w][\w.:/-]{0,99}$/.test(word) ? word : null;
}
