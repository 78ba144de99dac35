import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { emptyFolder } from './dyno.ts';

const server = join(import.meta.dirname, '../fixtures/tune/server.mjs');

/** The config of the fixture's server as it stands before anybody tunes it. */
export const original = '{\n    "schedule" : { "batch" : 8, "kept" : [1, 2] }\n}\n';

export interface TuneBench {
  dir: string;
  config: string;
  port: number;
  file: string;
  store: string;
}

/** A folder with a config, and a tune file around the fixture's server, which dyno starts itself. */
export async function tuneBench(
  manners: string,
  more = '',
  { space = 'batch: {from: 2, to: 32, start: 8}', requests = 60 } = {},
): Promise<TuneBench> {
  const dir = await emptyFolder();
  const [config, file, port] = [join(dir, 'config.json'), join(dir, 'tune.yaml'), await freePort()];
  await writeFile(config, original);
  await writeFile(
    file,
    `url: http://127.0.0.1:${port}
apply: {config: [{file: ${config}, set: {batch: schedule.batch}}]}
start: {command: "${process.execPath} ${server} ${config} ${port} ${manners}", stopTimeout: 5s}
ready: {log: Daemon start success!, url: "http://127.0.0.1:${port}/health", timeout: 120s}
space: {${space}}
load: {concurrency: 4}
workload: {lenient: true, requests: ${requests}, devices: none, metrics: none}
${more}
`,
  );
  return { dir, config, port, file, store: join(dir, 'runs') };
}
