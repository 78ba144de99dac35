/** Colours of a chart. */
export interface ChartTheme {
  background: string;
  text: string;
  faint: string;
  grid: string;
  /** From little to much, for heat maps. */
  heat: readonly string[];
  series: readonly string[];
  tones: Readonly<Record<'wait' | 'work' | 'bad', string>>;
}

/**
 * Series colours keep apart for the usual kinds of colour blindness (hues after Okabe and Ito, darkened on white for
 * contrast); where they repeat, the shape of the points and the dash of the line differ.
 */
export const chartThemes = {
  light: {
    background: '#ffffff',
    text: '#1b1f24',
    faint: '#59636e',
    grid: '#e3e6ea',
    heat: ['#f2f7fc', '#9ecae1', '#2171b5', '#08306b'],
    series: [
      '#0063a6',
      '#c4500a',
      '#00795a',
      '#a8447c',
      '#7a5f00',
      '#2c84c9',
      '#8a2c0d',
      '#5b4aa8',
      '#3b7a1f',
      '#5f6670',
    ],
    tones: { wait: '#d9a400', work: '#0063a6', bad: '#c62828' },
  },
  dark: {
    background: '#15191e',
    text: '#e8ebee',
    faint: '#a3adb8',
    grid: '#303841',
    heat: ['#1d2a38', '#2f5d86', '#5aa0d6', '#cfe6f7'],
    series: [
      '#5fb0ec',
      '#f2955c',
      '#3fc79c',
      '#e393c0',
      '#e0c341',
      '#9bd0f5',
      '#d9805f',
      '#ad9df0',
      '#93d077',
      '#b4bcc6',
    ],
    tones: { wait: '#e0c341', work: '#5fb0ec', bad: '#ff7b72' },
  },
} as const satisfies Record<string, ChartTheme>;

/** The name of a theme. */
export type ThemeName = keyof typeof chartThemes;

/** Shapes of points, in the order they are given out. */
export const symbols = ['circle', 'rect', 'triangle', 'diamond'] as const;
