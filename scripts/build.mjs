// Bundles the command line into dist/: one file per lazily loaded command, third-party packages left outside.
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const out = new URL('../dist/', import.meta.url);
await rm(out, { recursive: true, force: true });
await build({
  entryPoints: { 'cli/main': 'src/cli/main.ts' },
  absWorkingDir: new URL('..', import.meta.url).pathname,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'cli/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});
await chmod(new URL('cli/main.js', out), 0o755);
