// The tools from PyPI that stand beside our client: how each is installed, started at a load, and which of its records
// tell what it measured (read by peer-records.py). One core: each gets one worker process where it lets us choose.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const INSTALL_LIMIT_MS = 900_000;
const OFFLINE = { HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '1' };

/** `--name value` for each entry, `--name` alone where the value is true. */
export const flags = (options) =>
  Object.entries(options).flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, String(value)]));

const tools = [
  {
    name: 'aiperf',
    version: '0.13.0',
    from: 'aiperf',
    // Offline it looks for its tokenizer in a cache only, not in the folder named.
    env: {},
    args: (load) => [
      'profile',
      ...flags({
        model: 'm',
        tokenizer: load.tokenizer,
        url: `http://127.0.0.1:${load.port}`,
        'endpoint-type': 'chat',
        streaming: true,
        'use-server-token-count': true,
        concurrency: load.streams,
        'request-count': load.requests,
        'warmup-request-count': load.warmup,
        'input-file': `${load.prompts}.jsonl`,
        'custom-dataset-type': 'single_turn',
        'no-gpu-telemetry': true,
        'no-server-metrics': true,
        ui: 'none',
        'workers-max': 1,
        'record-processors': 1,
        'export-level': 'raw',
        'output-artifact-dir': load.dir,
      }),
    ],
  },
  {
    name: 'evalscope',
    version: '1.14.1',
    from: 'evalscope[perf]',
    env: OFFLINE,
    args: (load) => [
      'perf',
      ...flags({
        api: 'openai',
        url: `http://127.0.0.1:${load.port}/v1/chat/completions`,
        model: 'm',
        stream: true,
        parallel: load.streams,
        number: load.requests,
        'warmup-num': load.warmup,
        'max-tokens': load.events,
        dataset: 'line_by_line',
        'dataset-path': `${load.prompts}.txt`,
        'no-test-connection': true,
        'outputs-dir': load.dir,
        'no-timestamp': true,
        name: 'run',
        'log-every-n-query': 1_000_000,
      }),
    ],
  },
  {
    name: 'guidellm',
    version: '0.8.1',
    from: 'guidellm',
    // It keeps an answer's text and the times of its first and last token: the text is then where the stamps must be.
    stampsInText: true,
    env: { ...OFFLINE, GUIDELLM__MAX_WORKER_PROCESSES: '1' },
    args: (load) => [
      'run',
      ...flags({
        'disable-console': true,
        tokenizer: `kind=huggingface_auto,model=${load.tokenizer}`,
        backend: `kind=openai_http,target=http://127.0.0.1:${load.port},model=m,request_format=/v1/chat/completions`,
        profile: `kind=concurrent,streams=${load.streams}`,
        constraint: `kind=max_requests,count=${load.requests}`,
        data: `kind=text_file,path=${load.prompts}.txt`,
        output: `kind=json,path=${join(load.dir, 'report.json')}`,
      }),
    ],
  },
];

const quiet = (command, args, timeout) => {
  const done = spawnSync(command, args, { encoding: 'utf8', timeout, maxBuffer: 1 << 26 });
  return {
    ok: done.status === 0,
    text: done.stdout ?? '',
    why: String(done.error ?? done.stderr)
      .trim()
      .slice(-200),
  };
};

/** Each tool with where it lies, or the reason why it could not be installed; what is there already is kept. */
export function installPeers(folder) {
  mkdirSync(folder, { recursive: true });
  return tools.map((tool) => {
    const venv = join(folder, tool.name);
    const python = join(venv, 'bin/python');
    const program = join(venv, 'bin', tool.name);
    if (!existsSync(program)) {
      console.error(`installing ${tool.name} ${tool.version} into ${venv}`);
      if (!existsSync(python)) quiet('python3', ['-m', 'venv', venv], INSTALL_LIMIT_MS);
      const pip = ['-m', 'pip', 'install', '-q', `${tool.from}==${tool.version}`];
      const { ok, why } = quiet(python, pip, INSTALL_LIMIT_MS);
      if (!ok) return { ...tool, problem: `not installed: ${why.replaceAll(folder, '')}` };
    }
    const said = quiet(python, [
      '-c',
      `import importlib.metadata as m, platform; print(m.version('${tool.name}'), platform.python_version())`,
    ]).text.trim();
    const [version, pythonVersion] = said.split(' ');
    return { ...tool, program, version: version || tool.version, python: `Python ${pythonVersion ?? 'unknown'}` };
  });
}
