import { printable, say } from '../core/index.ts';
import type { Lang, Summary } from '../core/index.ts';

interface Missing {
  why: string;
  zh: { why: string };
}
interface Card {
  vendor: string;
  index: number | null;
  utilizationRatio: { mean: number; max: number } | null;
  powerW: { mean: number; max: number } | null;
  memoryMarginBytes: number | null;
  temperatureC: { mean: number; max: number } | null;
}

/** What server and cards did during a run, in a few lines below its table; empty where nothing was watched. */
export function telemetryLines({ server, devices }: Pick<Summary, 'server' | 'devices'>, lang: Lang): string {
  const lines: string[] = [];
  const missing: Missing[] = [];
  // Imports keep other tools' own words in these two; only a telemetry of ours has a story and a list of cards.
  if (server !== null && typeof server['story'] === 'string') {
    const told = server as { story: string; zh: { story: string }; scrapes: number; missing: Missing[] };
    if (told.scrapes > 0)
      lines.push(`${say({ en: 'server', zh: '服务器' }, lang)}: ${lang === 'zh' ? told.zh.story : told.story}`);
    else missing.push(...told.missing);
  }
  if (devices !== null && Array.isArray(devices['devices'])) {
    const told = devices as { devices: Card[]; tokensPerJoule: number | null; missing: Missing[] };
    lines.push(...told.devices.map((card) => cardLine(card, lang)));
    if (told.tokensPerJoule !== null)
      lines.push(`${say({ en: 'energy', zh: '能效' }, lang)}: ${told.tokensPerJoule.toPrecision(3)} tok/J`);
    if (told.devices.length > 0) missing.push(...told.missing);
  }
  lines.push(
    ...missing.map(
      ({ why, zh }) => `${say({ en: 'missing', zh: '缺失' }, lang)}: ${printable(lang === 'zh' ? zh.why : why)}`,
    ),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function cardLine(card: Card, lang: Lang): string {
  const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
  const { utilizationRatio: use, powerW: power, memoryMarginBytes: margin, temperatureC: heat } = card;
  const parts = [
    use === null ? null : `${say({ en: 'in use', zh: '利用率' }, lang)} ${percent(use.mean)} (max ${percent(use.max)})`,
    power === null ? null : `${power.mean.toFixed(0)} W (max ${power.max.toFixed(0)})`,
    heat === null ? null : `${heat.max} °C`,
    margin === null
      ? null
      : `${(margin / 1024 ** 3).toFixed(1)} GiB ${say({ en: 'of memory never used', zh: '显存余量' }, lang)}`,
  ];
  return `${card.vendor} ${card.index ?? '?'}: ${parts.filter((part) => part !== null).join(', ')}`;
}
