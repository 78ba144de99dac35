import { dyno } from './dyno.ts';

/** A sweep of three points with an SLO, and a run of sixty requests, each under its label in a store. */
export async function measureInto(
  store: string,
  url: string,
  labels: { sweep: string; run: string },
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const load = ['--max-tokens', '8', '--ignore-eos', '--lenient', '--store', store, '--quiet'];
  const sweep = ['-n', '40', '--concurrency', '2,4,8', '--slo', 'ttft.p99<2s', '--label', labels.sweep];
  await dyno(['sweep', url, ...load, ...sweep]);
  await between();
  await dyno(['run', url, ...load, '-n', '60', '--concurrency', '4', '--label', labels.run]);
}
