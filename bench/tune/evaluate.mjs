// An evaluate command for `dyno tune`: node bench/tune/evaluate.mjs ENGINE < {"settings":…,"load":…,"seed":…}
import { makeEngine, measure } from './engines.mjs';

let text = '';
for await (const piece of process.stdin) text += piece;
const { settings, load, seed } = JSON.parse(text);
console.log(JSON.stringify(measure(makeEngine(Number(process.argv[2])), settings, load, seed)));
