// Sweeps that NVIDIA prints of its NIM servers (TensorRT-LLM on H100; docs.nvidia.com/nim/benchmarking, "Performance", versions 1.3, 1.5 and 1.8):
// answers of one length, time to the first token and between tokens, throughput. Three points fitted by each rule, the others scored, once with
// the first tokens and once as if nothing had been streamed. Where a page does not say the lengths, they are what Little's law makes of the row.
//   node bench/sim/streamed-sweeps.mjs
import { percent, sources } from './sources.mjs';

const { fitSweep, heldOutOf } = await sources();
const metrics = ['outputTokensPerSec', 'latencyMs.mean'];
const rules = {
  auto: ['auto'],
  'lowest, middle, highest': ['lowest', 'middle', 'highest'],
  'lowest, half-knee, knee': ['lowest', 'half-knee', 'knee'],
};
/** Concurrency, time to the first token in ms, time between tokens in ms, tokens/s. */
const sweeps = [
  {
    title: 'L3.3-70b 1.8 5000/500 H100x2',
    inputTokens: 5000,
    outputTokens: 500,
    rows: [
      [1, 406.77, 18.58, 51.67],
      [5, 546.7, 21.83, 218.48],
      [25, 688.69, 38.75, 623.4],
      [50, 834.51, 59.73, 814.37],
      [100, 7996.25, 92.91, 917.26],
      [150, 34794.22, 92.86, 920.9],
      [200, 61680.22, 93.06, 920.54],
      [250, 88605.32, 93.2, 920.12],
    ],
  },
  {
    title: 'L3.3-70b 1.5 5000/500',
    inputTokens: 5000,
    outputTokens: 500,
    rows: [
      [1, 368.11, 19.94, 48.44],
      [5, 446.68, 23.89, 199.17],
      [25, 751.74, 42.12, 564.5],
      [50, 1083.13, 63.72, 738.78],
      [100, 17754.93, 87.55, 777.31],
      [150, 46381.93, 87.39, 777.94],
      [200, 73326.6, 87.64, 777.02],
    ],
  },
  {
    title: 'L3.3-70b 1.5 500/2000',
    inputTokens: 500,
    outputTokens: 2000,
    rows: [
      [1, 71.82, 19.26, 51.84],
      [5, 109.62, 20.04, 237.72],
      [25, 159.62, 23.28, 1032.56],
      [50, 232.46, 25.58, 1880.75],
      [100, 293.19, 32.83, 2914.64],
      [150, 448.16, 45.57, 3096.87],
    ],
  },
  {
    title: 'L3.3-70b 1.5 200/200',
    inputTokens: 200,
    outputTokens: 200,
    rows: [
      [1, 32.78, 19.11, 52.15],
      [5, 81.17, 19.9, 247.26],
      [25, 247.81, 21.99, 1080.83],
      [50, 377.42, 23.94, 1936.88],
      [100, 583.54, 31.79, 2886.57],
      [150, 831.88, 44.81, 3067.43],
      [200, 925.3, 45.92, 3947.82],
      [250, 1105.17, 49.83, 4521.68],
    ],
  },
  {
    title: 'L3.3-70b 1.5 1000/1000',
    inputTokens: 1000,
    outputTokens: 1000,
    rows: [
      [1, 103.2, 19.31, 51.54],
      [5, 125.56, 20.52, 234.76],
      [25, 195.68, 24.76, 979.58],
      [50, 243.19, 28.55, 1706.26],
      [100, 344.86, 38.65, 2507.94],
      [150, 568.88, 54.06, 2663.03],
      [200, 1384.9, 58.11, 3238.57],
    ],
  },
  {
    title: 'L3.1-8b 1.8',
    inputTokens: 200,
    outputTokens: 200,
    rows: [
      [1, 10.26, 4.63, 214.56],
      [5, 16.81, 4.58, 1076.88],
      [25, 36.34, 5.19, 4678.88],
      [50, 67.41, 5.91, 8018.23],
      [100, 119.97, 7.57, 12214.97],
      [150, 346.53, 9.81, 12988.89],
      [200, 465.18, 12.65, 13348.4],
      [250, 605.6, 16.14, 12964.72],
    ],
  },
  {
    title: 'L3.1-8b 1.3',
    inputTokens: 200,
    outputTokens: 200,
    rows: [
      [1, 8.98, 4.37, 227.44],
      [5, 15.31, 5.1, 971.34],
      [25, 21.08, 6.02, 4100.33],
      [50, 50.68, 7.19, 6745.78],
      [100, 209.66, 8.62, 10369.56],
      [150, 398.54, 12.49, 10383.16],
      [200, 501.44, 17.76, 9884.77],
    ],
  },
  {
    title: 'L3.1-70b 1.3 a',
    inputTokens: 200,
    outputTokens: 200,
    rows: [
      [1, 25.05, 13.21, 75.36],
      [5, 64.82, 12.64, 387.55],
      [25, 146.11, 15.31, 1564.9],
      [50, 169.61, 17.42, 2743.6],
      [100, 235.17, 23.28, 4092.34],
      [150, 511.21, 27.73, 4962.78],
      [200, 582.07, 31.22, 5855.9],
      [250, 718.98, 35.25, 6429.95],
    ],
  },
  {
    title: 'L3.1-70b 1.3 b',
    inputTokens: 500,
    outputTokens: 2000,
    rows: [
      [1, 38.64, 14.24, 70.14],
      [5, 109.06, 13.68, 364.24],
      [25, 393.58, 15.86, 1557.21],
      [50, 564.17, 17.14, 2868.22],
      [100, 640.42, 22.64, 4350.2],
      [150, 792.84, 28.49, 5183.08],
      [200, 1417.35, 31.62, 6168.81],
      [250, 2045.69, 35.75, 6511.88],
    ],
  },
  {
    title: 'L3.1-70b 1.3 c',
    inputTokens: 1000,
    outputTokens: 1000,
    rows: [
      [1, 59.89, 14.24, 69.98],
      [5, 180.35, 13.72, 360.12],
      [25, 571.16, 16.38, 1475.28],
      [50, 843.45, 18.15, 2631.13],
      [100, 740, 25.55, 3794.76],
      [150, 952.07, 32.31, 4493.57],
      [200, 980.89, 37.92, 5114.09],
      [250, 2632.73, 41.92, 5497.21],
    ],
  },
  {
    title: 'L3.1-70b 1.3 d',
    inputTokens: 5000,
    outputTokens: 500,
    rows: [
      [1, 236.58, 17.35, 56.2],
      [5, 432.23, 18.16, 263.04],
      [25, 657.73, 28.69, 830.42],
      [50, 952.43, 40.13, 1169.61],
      [100, 1312.92, 68.86, 1378],
      [150, 1973.14, 98.88, 1428.94],
      [200, 2850.08, 126.51, 1455.09],
      [250, 11283.63, 139.94, 1488.41],
    ],
  },
];

/** The pages do not count requests: eight for each place in the loop. */
const requestsOf = (concurrency) => Math.max(40, 8 * concurrency);

for (const [rule, words] of Object.entries(rules)) {
  for (const streamed of [false, true]) {
    const rows = sweeps.map((sweep) => {
      const points = sweep.rows.map(([concurrency, ttftMs, itlMs, outputTokensPerSec]) => {
        const latencyMeanMs = ttftMs + itlMs * (sweep.outputTokens - 1);
        return {
          concurrency,
          requests: requestsOf(concurrency),
          inputTokens: sweep.inputTokens,
          outputTokens: sweep.outputTokens,
          outputTokensPerSec,
          latencyMeanMs,
          latencyP90Ms: null,
          latencyMs: { n: null, mean: latencyMeanMs, p50: latencyMeanMs, p99: latencyMeanMs },
          ttftMeanMs: streamed ? ttftMs : null,
          remarks: [],
        };
      });
      const held = heldOutOf(fitSweep(points, { points: words, maxBatchSize: null, kv: null }));
      const means = metrics.map((metric) => held[metric].mape);
      const worst = Math.max(...metrics.map((metric) => held[metric].worst));
      if (streamed) console.log(`  ${sweep.title}: ${means.map(percent).join(' / ')}, ${percent(worst)}`);
      return { means, worst, good: means.every((mean) => mean <= 0.04) && worst <= 0.13 };
    });
    const means = metrics.map((_, k) => percent(rows.reduce((sum, row) => sum + row.means[k], 0) / rows.length));
    console.log(
      `${rule}, ${streamed ? 'with' : 'without'} first tokens: ${means.join(' / ')} (throughput / mean latency), worst point ` +
        `${percent(Math.max(...rows.map((row) => row.worst)))}; within 4 / 4 / 13 %: ${rows.filter((row) => row.good).length}/${rows.length}`,
    );
  }
}
