// Plans nobody chose: profile, scheduler, load and lengths are drawn, one seed a plan. What is drawn is scaled by virtual time, so that each takes
// some seconds and no server is overrun.

const profiles = [
  'qwen1.5-7b-mindie-8x910b4',
  'qwen1.5-14b-mindie-8x910b4',
  'qwq-32b-mindie-atb-4x910b3',
  'sus-chat-34b-vllm-4xv100',
  'qwen2.5-72b-vllm-4xmxc500',
  'llama-3-8b-vllm-rtx4090',
];
const schedulers = ['continuous', 'vllm-v1', 'vllm-v0', 'mindie', 'sglang', 'static'];
const longestMs = 25_000;

/** Numbers from 0 to 1 that hang on the seed (mulberry32). */
function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Some are drawn again: those that would take too long. `virtual` plays words for `dyno sim` and gives the summary. */
export async function* randomPlans(count, seed, virtual) {
  for (let plan = 0, drawn = 0; plan < count; drawn++) {
    const roll = dice(1000 * seed + drawn);
    const pick = (list) => list[Math.floor(roll() * list.length)];
    const between = (low, high) => Math.round(Math.exp(Math.log(low) + roll() * Math.log(high / low)));
    const range = (low, high) => {
      const from = between(low, high);
      return roll() < 0.3 ? `${from}` : `${from}..${from + between(1, from)}`;
    };
    const engine = ['--profile', pick(profiles), ...(roll() < 0.5 ? ['--scheduler', pick(schedulers)] : [])];
    const streams = between(1, 500);
    const isQuestions = roll() < 0.2;
    const lengths = isQuestions
      ? `--max-tokens ${between(8, 100)}`
      : `--input-tokens ${range(16, 1000)} --output-tokens ${range(8, 100)}`;
    const isOpen = roll() < 0.4;
    // A first try says how quick the engine is.
    const few = Math.max(50, streams);
    const tried = await virtual([...engine, ...`--concurrency ${streams} -n ${few} ${lengths}`.split(' ')]);
    const perSec = tried.requestsPerSec;
    const most = Math.floor((longestMs / 1000) * perSec);
    if (most < 40) continue;
    const ratio = 0.3 + 0.6 * roll();
    const requests = Math.max(40, Math.min(4 * streams + 60, isOpen ? Math.floor(most * ratio) : most));
    const load = isOpen
      ? `--rate ${(perSec * ratio).toPrecision(3)} --arrival ${pick(['poisson', 'constant', 'gamma(0.5)'])}`
      : `--concurrency ${Math.min(streams, requests)}`;
    const words = `${load} -n ${requests} ${lengths}`;
    plan++;
    yield { name: `${engine.join(' ')} ${words}`, engine, words };
  }
}
