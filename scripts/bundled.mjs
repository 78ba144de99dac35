// Loads parts of src, which is TypeScript, into a script: bundled in memory, nothing is written.
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;

/** The exports of a module of these lines, whose imports are paths from the root of the repository. */
export async function bundled(contents) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    // The drawing library is native code; no script needs it.
    loader: { '.node': 'empty' },
    // Bundled CommonJS packages ask for node's modules by require.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire('${import.meta.url}');` },
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}
