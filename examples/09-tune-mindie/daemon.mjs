// Stands in for mindieservice_daemon: a simulated engine with the schedule of config.json. Ends with what it is told by signal.
//   node daemon.mjs CONFIG PORT [flags of dyno engine …]      DYNO = how dyno is called
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [config, port, ...more] = process.argv.slice(2);
const { BackendConfig } = JSON.parse(readFileSync(config, 'utf8'));
const known = [
  'maxBatchSize',
  'maxPrefillBatchSize',
  'maxPrefillTokens',
  'prefillTimeMsPerReq',
  'decodeTimeMsPerReq',
  'supportSelectBatch',
  'maxQueueDelayMicroseconds',
  'maxPreemptCount',
];
const { ScheduleConfig } = BackendConfig;
const sets = known.flatMap((name) => (name in ScheduleConfig ? ['--set', `${name}=${ScheduleConfig[name]}`] : []));
// Of 28 GB on a card the weights leave 20: more than that for the cache ends as on the real thing.
const [model] = BackendConfig.ModelDeployConfig.ModelConfig;
if (model.npuMemSize > 20) {
  console.error(`RuntimeError: Npu out of memory: ${model.npuMemSize} GB for the KV cache`);
  process.exit(1);
}
const blocks = ['--set', `blocks=${model.npuMemSize * 128}`, '--set', `blockSize=${ScheduleConfig.cacheBlockSize}`];
const [program, ...words] = (process.env.DYNO ?? 'dyno').split(' ');
const flags = ['engine', '--scheduler', 'mindie', '--port', port, '--quiet', ...sets, ...blocks, ...more];
const engine = spawn(program, [...words, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
engine.stdout.once('data', () => console.log('Daemon start success!'));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => engine.kill(signal));
engine.on('exit', (code) => process.exit(code ?? 1));
