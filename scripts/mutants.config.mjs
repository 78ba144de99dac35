// The unit tests with one small thing changed in one file, in memory only: LLMDYNO_MUTANT says which. Nothing on disk is touched.
import { defineConfig } from 'vitest/config';
import { root } from './steps.mjs';

const { file, at, was, becomes } = JSON.parse(process.env.LLMDYNO_MUTANT);

export default defineConfig({
  root,
  plugins: [
    {
      name: 'one-mutant',
      enforce: 'pre',
      transform(code, id) {
        if (id.split('?')[0] !== `${root}${file}`) return null;
        if (code.slice(at, at + was.length) !== was) throw new Error(`${file} is not what it was`);
        return { code: code.slice(0, at) + becomes + code.slice(at + was.length), map: null };
      },
    },
  ],
  test: { isolate: false, testTimeout: 60_000, hookTimeout: 60_000, bail: 1, maxWorkers: 1 },
});
