interface SliderProps {
  name: string;
  title: string;
  value: number;
  least: number;
  most: number;
  step?: number;
  set(value: number): void;
}

const notches = 1000;

/** A number with a slider beside it; wide ranges move by ratio, so that small values can be reached. */
export function Slider({ name, title, value, least, most, step = 1, set }: SliderProps) {
  const byRatio = most / Math.max(least, 1) >= 100;
  const low = Math.max(least, byRatio ? 1 : least);
  const toNotch = (number: number): number =>
    byRatio
      ? (Math.log(Math.max(number, low) / low) / Math.log(most / low)) * notches
      : ((number - least) / (most - least)) * notches;
  const fromNotch = (notch: number): number => {
    const raw = byRatio ? low * (most / low) ** (notch / notches) : least + ((most - least) * notch) / notches;
    return Number((Math.round(raw / step) * step).toFixed(4));
  };
  return (
    <div class="field slider">
      <label for={`number-${name}`}>{title}</label>
      <input
        id={`number-${name}`}
        name={name}
        type="number"
        min={least}
        max={most}
        step={step}
        value={Number.isFinite(value) ? value : ''}
        onInput={(event) => event.currentTarget.value !== '' && set(Number(event.currentTarget.value))}
      />
      <input
        type="range"
        min={0}
        max={notches}
        aria-label={title}
        aria-valuetext={String(value)}
        value={toNotch(value)}
        onInput={(event) => set(fromNotch(Number(event.currentTarget.value)))}
      />
    </div>
  );
}
