import { shellWord } from '../../core/index.ts';
import type { StartAsk } from '../api/shapes.ts';

/** The command that does what a form asks, as one would type it. */
export function commandLine({ command, url, words }: StartAsk): string {
  const flags = Object.entries(words).flatMap(([name, value]) =>
    value === true
      ? [`--${name}`]
      : (Array.isArray(value) ? value : [String(value)]).flatMap((one) => [`--${name}`, shellWord(one)]),
  );
  return ['dyno', command, ...(url === null ? [] : [shellWord(url)]), ...flags].join(' ');
}

/** The plan file that says the same: `dyno run plan.yaml`. */
export function planYaml({ command, url, words }: StartAsk): string {
  const { profile, ...rest } = words;
  const lines = Object.entries(rest).map(([name, value]) => {
    if (value === true) return `${name}: true`;
    if (Array.isArray(value)) return `${name}: [${value.map((text) => JSON.stringify(text)).join(', ')}]`;
    const texts = String(value)
      .split(',')
      .map((part) => part.trim());
    const isList = ['concurrency', 'rate'].includes(name) && texts.length > 1;
    return `${name}: ${isList ? `[${texts.join(', ')}]` : scalar(String(value))}`;
  });
  const run = `# dyno ${command} plan.yaml${profile === undefined ? '' : ` --profile ${String(profile)}`}`;
  return [run, ...(url === null ? [] : [`url: ${scalar(url)}`]), ...lines].join('\n');
}

function scalar(text: string): string {
  return /^\d+(\.\d+)?$/.test(text) || /^[A-Za-z][\w./-]*$/.test(text) ? text : JSON.stringify(text);
}
