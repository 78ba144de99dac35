import type { ComponentChildren } from '../preact.ts';

/** A figure that is read at a glance: its name, its value, and the unit or what belongs to it. */
export interface Tile {
  name: string;
  value: string;
  unit: string;
  tone?: string;
}

/** Figures beside each other. */
export function Tiles({ id, tiles }: { id?: string; tiles: readonly Tile[] }) {
  return (
    <div class="tiles" id={id}>
      {tiles.map(({ name, value, unit, tone = '' }) => (
        <div class={`tile ${tone}`} key={name}>
          <div class="tile-name">{name}</div>
          <div class="tile-value">{value}</div>
          <div class="tile-unit">{unit === '' ? '\u00a0' : unit}</div>
        </div>
      ))}
    </div>
  );
}

/** Facts by name, a line each. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
