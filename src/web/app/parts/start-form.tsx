import { CodeBlock } from './code-block.tsx';
import type { FormWord, FormWords, JobState, StartAsk } from '../../api/shapes.ts';
import { useEffect, useState } from '../preact.ts';
import { ask, tell, ApiError, useLoaded } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { commandLine, planYaml } from '../start-text.ts';
import { Icon } from './icon.tsx';
import { TroubleBox, Waiting } from './states.tsx';

/** What most runs set; the rest is folded away. */
const usual = [
  'slo',
  'concurrency',
  'rate',
  'requests',
  'duration',
  'input-tokens',
  'output-tokens',
  'max-tokens',
  'model',
  'dataset',
  'label',
];
const key = 'llmdyno.start';
const commands = {
  find: both('Find how many users it takes', '查找最大并发'),
  run: both('One load point', '单个负载点'),
  sweep: both('Sweep', '扫描'),
  sim: both('Simulated (no server)', '模拟（无需服务器）'),
} as const;

/** How much load: what one command takes may mean nothing to the next, so each begins with its own. */
const loads: Readonly<Record<StartAsk['command'], StartAsk['words']>> = {
  find: { concurrency: '', rate: '', requests: '' },
  run: { concurrency: '8', rate: '', requests: '200' },
  sweep: { concurrency: '1,2,4,8', rate: '', requests: '100' },
  sim: { concurrency: '8,32,128', rate: '', requests: '500' },
};

const first: StartAsk = {
  command: 'find',
  url: null,
  words: { ...loads.find, slo: 'ttft.p99<2s\ntpot.p99<50ms', 'max-tokens': '128' },
};

/** A run or sweep in the words of the command line; shows the command and the plan file that say the same. */
export function StartForm({ query }: { query: URLSearchParams }) {
  const { data, trouble } = useLoaded('words', (signal) => ask<FormWords>('/words', { signal }));
  const [asked, setAsked] = useState<StartAsk>(() => remembered(query));
  const [refused, setRefused] = useState<ApiError | null>(null);
  const [job, setJob] = useState<JobState | null>(null);
  useEffect(() => localStorage.setItem(key, JSON.stringify(withoutHeaders(asked))), [asked]);
  useFollowed(job, setJob);
  if (trouble !== null) return <TroubleBox trouble={trouble} />;
  if (data === null) return <Waiting height={420} />;
  const set = (name: string, value: string | boolean): void =>
    setAsked({ ...asked, words: { ...asked.words, [name]: value } });
  // The first that this page may load, so that the form can be sent as it stands.
  const url = asked.url ?? `http://${data.allowed?.find((target) => !target.includes('*')) ?? '127.0.0.1:8000'}`;
  const said = cleaned({ ...asked, url }, data);
  const start = (event: Event): void => {
    event.preventDefault();
    setRefused(null);
    tell<JobState>('/start', said).then(setJob, (error: unknown) =>
      setRefused(error instanceof ApiError ? error : null),
    );
  };
  const offered = data.words.filter(({ commands: list }) => list.includes(asked.command));
  const fields = (names: readonly FormWord[]) =>
    names.map((word) => <Field key={word.name} word={word} value={asked.words[word.name]} set={set} />);
  const running = job !== null && job.exitCode === null;
  return (
    <section aria-labelledby="start-title">
      <h2 id="start-title">{t('Start', '启动')}</h2>
      {!data.mayStart && (
        <div class="note warn">
          {t(
            'This page is reached from other machines and no target is allowed: start dyno ui with --allow-target HOST:PORT to start runs from here.',
            '此页面可从其他机器访问，且未允许任何目标：请以 --allow-target 主机:端口 启动 dyno ui。',
          )}
        </div>
      )}
      <form class="start" onSubmit={start}>
        <div class="form-grid">
          <fieldset class="wide">
            <legend>{t('What', '内容')}</legend>
            {(Object.keys(commands) as (keyof typeof commands)[]).map((command) => (
              <label class="choice" key={command}>
                <input
                  type="radio"
                  name="command"
                  value={command}
                  checked={asked.command === command}
                  onChange={() => setAsked({ ...asked, command, words: { ...asked.words, ...loads[command] } })}
                />{' '}
                {t(commands[command])}
              </label>
            ))}
          </fieldset>
          {asked.command === 'sim' ? (
            <label class="field wide">
              <span>{t('Engine profile', '引擎配置')}</span>
              <select
                name="profile"
                value={String(asked.words['profile'] ?? data.profiles[0]?.name ?? '')}
                onChange={(event) => set('profile', event.currentTarget.value)}
              >
                {data.profiles.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          ) : (
            <label class="field wide">
              <span>{t('Address of the server', '服务器地址')}</span>
              <input
                name="url"
                required
                value={url}
                onInput={(event) => setAsked({ ...asked, url: event.currentTarget.value })}
              />
              {data.allowed !== null && (
                <small>{t(`allowed: ${data.allowed.join(', ')}`, `允许：${data.allowed.join('、')}`)}</small>
              )}
            </label>
          )}
          {fields(usual.flatMap((name) => offered.filter((word) => word.name === name)))}
        </div>
        {refused !== null && <TroubleBox trouble={refused} />}
        {job !== null && job.exitCode !== null && job.id === null && (
          <div class="note bad" role="alert">
            <p>
              <strong>
                {t(`It ended at once (exit code ${job.exitCode}).`, `启动后立即结束（退出码 ${job.exitCode}）。`)}
              </strong>
            </p>
            <pre>{job.said}</pre>
          </div>
        )}
        <button type="submit" class="primary" id="start-run" disabled={!data.mayStart || running}>
          <Icon name="play" /> {running ? t('Starting…', '正在启动…') : t('Start', '启动')}
        </button>
        <details>
          <summary>{t('More settings', '更多设置')}</summary>
          <div class="form-grid">{fields(offered.filter(({ name }) => !usual.includes(name)))}</div>
        </details>
        <div class="said">
          <div>
            <h3>{t('The same in a terminal', '等价命令')}</h3>
            <CodeBlock id="command-line" text={commandLine(said)} />
          </div>
          <div>
            <h3>{t('The same as a plan file', '等价计划文件')}</h3>
            <CodeBlock id="plan-yaml" text={planYaml(said)} />
          </div>
        </div>
      </form>
    </section>
  );
}

function Field({
  word,
  value,
  set,
}: {
  word: FormWord;
  value: StartAsk['words'][string] | undefined;
  set: (name: string, value: string | boolean) => void;
}) {
  if (word.value === null)
    return (
      <label class="choice" title={t(word.help)}>
        <input
          type="checkbox"
          name={word.name}
          checked={value === true}
          onChange={(event) => set(word.name, event.currentTarget.checked)}
        />{' '}
        <code>{word.name}</code> <small>{t(word.help)}</small>
      </label>
    );
  return (
    <label class="field" title={t(word.help)}>
      <span>
        <code>{word.name}</code>
      </span>
      {word.repeat === 'repeat' ? (
        <textarea
          name={word.name}
          rows={2}
          value={Array.isArray(value) ? value.join('\n') : String(value ?? '')}
          onInput={(event) => set(word.name, event.currentTarget.value)}
        />
      ) : (
        <input
          name={word.name}
          value={String(value ?? '')}
          list={word.choices.length > 0 ? `choices-${word.name}` : undefined}
          onInput={(event) => set(word.name, event.currentTarget.value)}
        />
      )}
      {word.choices.length > 0 && (
        <datalist id={`choices-${word.name}`}>
          {word.choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      <small>
        {t(word.help)}
        {word.repeat === 'repeat' && t('; one per line', '；每行一个')}
      </small>
    </label>
  );
}

/** What is sent: only what the command takes and what was filled in. */
function cleaned(asked: StartAsk, { words, profiles }: FormWords): StartAsk {
  const taken = new Set(words.filter(({ commands: list }) => list.includes(asked.command)).map(({ name }) => name));
  const several = new Set(words.filter(({ repeat }) => repeat === 'repeat').map(({ name }) => name));
  const kept = Object.entries(asked.words)
    .filter(([name]) => taken.has(name))
    .map(([name, value]) => [name, several.has(name) ? lined(value) : value] as const)
    .filter(([, value]) => value !== '' && value !== false && (!Array.isArray(value) || value.length > 0));
  const profile = String(asked.words['profile'] ?? profiles[0]?.name ?? '');
  return {
    command: asked.command,
    url: asked.command === 'sim' ? null : asked.url,
    words: { ...Object.fromEntries(kept), ...(asked.command === 'sim' && { profile }) },
  };
}

/** One value for each line that says something. */
function lined(value: StartAsk['words'][string]): string[] {
  return (Array.isArray(value) ? value : String(value).split('\n')).map((line) => line.trim()).filter(Boolean);
}

/** What the browser may remember: a header may have been typed with a secret in it before it is refused. */
function withoutHeaders(asked: StartAsk): StartAsk {
  const kept = Object.entries(asked.words).filter(([name]) => name !== 'header');
  return { ...asked, words: Object.fromEntries(kept) };
}

function remembered(query: URLSearchParams): StartAsk {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as StartAsk | null;
    const usable = kept !== null && kept.command in commands ? { ...first, ...kept } : first;
    return query.get('url') === null ? usable : { ...usable, url: query.get('url') };
  } catch {
    return first;
  }
}

/** Asks after a job until its run is in the store, then goes there. */
function useFollowed(job: JobState | null, setJob: (job: JobState) => void): void {
  useEffect(() => {
    if (job === null) return;
    if (job.id !== null) {
      location.hash = linkTo('live', job.id);
      return;
    }
    if (job.exitCode !== null) return;
    const timer = setTimeout(() => void ask<JobState>(`/jobs/${job.job}`).then(setJob, () => null), 300);
    return () => clearTimeout(timer);
  }, [job]);
}
