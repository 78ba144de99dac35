/** Figures that are read at a glance: name, value, and the unit or what belongs to it. */
export function Tiles({ id, tiles }: { id?: string; tiles: readonly (readonly [string, string, string])[] }) {
  return (
    <div class="tiles" id={id}>
      {tiles.map(([name, value, unit]) => (
        <div class="tile" key={name}>
          <div class="tile-name">{name}</div>
          <div class="tile-value">{value}</div>
          <div class="tile-unit">{unit === '' ? '\u00a0' : unit}</div>
        </div>
      ))}
    </div>
  );
}
