// The goals of the MindIE guide from `dyno tune --init mindie`, nothing edited, on simulated MindIEs: twenty noise seeds each.
//   node bench/tune/goals.mjs [--seeds 20] [--first 1] [--spread 1] [--server NAME] [--goal WORD] [--verbose]
// --spread: per cent by which two runs of the same settings differ. Prints for each server and goal: how many searches ended confirmed and truly
// keep the limits, what part of the best feasible throughput (every batch tried without noise) they reach, and their runs.
import { numberFlag, percent } from '../sim/sources.mjs';
import { bestOf, goals, keeps, search, servers, truthAt } from './guide-goals.mjs';
import { tuneSources } from './problem.mjs';

const rooms = await tuneSources();
const only = (name, all) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? all : all.filter((one) => one === process.argv[at + 1]);
};
const [first, seeds, spread] = [numberFlag('first', 1), numberFlag('seeds', 20), numberFlag('spread', 1) / 100];
const verbose = process.argv.includes('--verbose');

console.log(
  'server | goal | confirmed and truly kept | of the best feasible: median, worst | runs: mean, most | best feasible',
);
for (const server of only('server', servers)) {
  for (const goal of only('goal', Object.keys(goals))) {
    const best = bestOf(rooms, server, goal);
    const done = [];
    for (let seed = first; seed < first + seeds; seed++) {
      const { problem, trials, because } = search(rooms, server, goal, seed, spread);
      const [chosen] = rooms.rankChosen(problem, trials);
      const truth = truthAt(rooms, server, chosen.point);
      const ratio = best === null ? 0 : truth.outputTokensPerSec / best.figures.outputTokensPerSec;
      const good = chosen.confirmed && keeps(goal, truth);
      done.push({ good, confirmed: chosen.confirmed, ratio, runs: trials.length });
      if (verbose) {
        for (const { phase, settings, load, figures } of trials)
          console.log(
            '   ',
            phase,
            settings.maxBatchSize,
            load.concurrency,
            Math.round(figures.outputTokensPerSec),
            Math.round(figures['ttft.mean']),
            figures['itl.mean'].toFixed(2),
          );
        console.log(
          seed,
          good ? 'good' : 'NOT',
          percent(ratio),
          chosen.point.settings.maxBatchSize,
          'best',
          best?.point.settings.maxBatchSize,
          because,
        );
      }
    }
    const ratios = done.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
    const runs = done.map((one) => one.runs);
    const middle = (ratios[Math.floor((seeds - 1) / 2)] + ratios[Math.ceil((seeds - 1) / 2)]) / 2;
    const told =
      best === null ? 'none' : `${best.point.settings.maxBatchSize}: ${Math.round(best.figures.outputTokensPerSec)}`;
    const kept = `${done.filter(({ good }) => good).length} of ${seeds}`;
    const wrong = done.filter(({ confirmed, good }) => confirmed && !good).length;
    console.log(
      [
        server,
        goal,
        wrong > 0 ? `${kept} (${wrong} confirmed and not kept)` : kept,
        `${percent(middle)}, ${percent(ratios[0])}`,
        `${(runs.reduce((sum, n) => sum + n, 0) / seeds).toFixed(1)}, ${Math.max(...runs)}`,
        told,
      ].join(' | '),
    );
  }
}
