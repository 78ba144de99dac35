// Builds the page of `dyno ui` (src/web/app) with Vite into dist/web; gives what went in, for the licence notices.
import { build } from 'vite';

/** Only what runs at import is kept of these: the page takes a few functions of rooms that can do much more. */
const pureRooms =
  /\/src\/(core|inputs\/(workload|arrival|hardware)|client\/protocol|engine\/sim|results\/(measure|audit|report)|advice\/(fit|plan)|tools)\//;

/** Packages of those rooms that no page uses; a trace of one left in a page would fail in the browser, and the tests there. */
const onlyElsewhere = ['cli-table3', 'hyparquet-writer', 'hyparquet', 'fzstd'];

export async function buildApp(root) {
  const inputs = {};
  await build({
    root: new URL('src/web/app/', root).pathname,
    configFile: false,
    base: './',
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    worker: { format: 'es' },
    plugins: [
      {
        name: 'inputs',
        moduleParsed({ id }) {
          const path = id.replace(/^\0/, '').replace(root.pathname, '');
          inputs[path] = {};
        },
      },
    ],
    build: {
      outDir: new URL('dist/web/', root).pathname,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        external: onlyElsewhere,
        treeshake: { moduleSideEffects: (id, external) => !external && !pureRooms.test(id) },
      },
    },
  });
  return { inputs };
}
