import { joined, printable } from '../../core/index.ts';
import type { Phrase, Summary } from '../../core/index.ts';
import { factsIn, predictionWords } from './prediction-text.ts';

type Facts = Record<string, unknown>;

/** What the server said of itself during a run, in one line: "KV full from 41 s, 37 preemptions"; null = nobody was asked. */
export function serverStory({ server }: Pick<Summary, 'server'>): Phrase | null {
  // Imports keep other tools' own words here; only a telemetry of ours, or a simulated engine, has a story.
  if (server === null || typeof server['story'] !== 'string') return null;
  const isOurs = (numberOf(server, 'scrapes') ?? 0) > 0 || typeof server['saturation'] === 'string';
  if (!isOurs || server['story'] === '') return null;
  const zh = factsIn(server['zh'])['story'];
  return { en: printable(server['story']), zh: printable(typeof zh === 'string' ? zh : server['story']) };
}

/** What server and cards did during a run, one phrase a line, and what could not be read; empty where nothing was watched. */
export function telemetryWords(summary: Pick<Summary, 'server' | 'devices'>): Phrase[] {
  const { server, devices } = summary;
  const lines: Phrase[] = [];
  const missing: Phrase[] = [];
  const story = serverStory(summary);
  if (story !== null) lines.push({ en: `server: ${story.en}`, zh: `服务器：${story.zh}` });
  else if (server !== null && typeof server['story'] === 'string') missing.push(...missingOf(server));
  const predicted = predictionWords(summary);
  if (predicted !== null) lines.push(predicted);
  if (devices !== null && Array.isArray(devices['devices'])) {
    const cards = devices['devices'].map(factsIn);
    lines.push(...cards.map(cardWords));
    const perJoule = numberOf(devices, 'tokensPerJoule');
    if (perJoule !== null)
      lines.push({ en: `energy: ${perJoule.toPrecision(3)} tok/J`, zh: `能效：${perJoule.toPrecision(3)} tok/J` });
    if (cards.length > 0) missing.push(...missingOf(devices));
  }
  return [...lines, ...missing.map(({ en, zh }) => ({ en: `missing: ${en}`, zh: `缺失：${zh}` }))];
}

function cardWords(card: Facts): Phrase {
  const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
  const pair = (key: string): { mean: number; max: number } | null => {
    const [mean, max] = [numberOf(factsIn(card[key]), 'mean'), numberOf(factsIn(card[key]), 'max')];
    return mean === null || max === null ? null : { mean, max };
  };
  const [use, power, heat] = [pair('utilizationRatio'), pair('powerW'), pair('temperatureC')];
  const margin = numberOf(card, 'memoryMarginBytes');
  const parts: Phrase[] = [];
  const both = (figure: string): Phrase => ({ en: figure, zh: figure });
  if (use !== null) {
    const figures = `${percent(use.mean)} (max ${percent(use.max)})`;
    parts.push({ en: `in use ${figures}`, zh: `利用率 ${figures}` });
  }
  if (power !== null) parts.push(both(`${power.mean.toFixed(0)} W (max ${power.max.toFixed(0)})`));
  if (heat !== null) parts.push(both(`${heat.max} °C`));
  if (margin !== null) {
    const gib = `${(margin / 1024 ** 3).toFixed(1)} GiB`;
    parts.push({ en: `${gib} of memory never used`, zh: `显存余量 ${gib}` });
  }
  const name = printable(`${String(card['vendor'])} ${numberOf(card, 'index') ?? '?'}`);
  const { en, zh } = joined(parts);
  return { en: `${name}: ${en}`, zh: `${name}：${zh}` };
}

function missingOf(facts: Facts): Phrase[] {
  const list = Array.isArray(facts['missing']) ? facts['missing'].map(factsIn) : [];
  return list.flatMap((one) => {
    const why = one['why'];
    const zh = factsIn(one['zh'])['why'];
    return typeof why === 'string' ? [{ en: printable(why), zh: printable(typeof zh === 'string' ? zh : why) }] : [];
  });
}

function numberOf(facts: Facts, key: string): number | null {
  const value = facts[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
