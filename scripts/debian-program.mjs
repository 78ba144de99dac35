// Finds a program that some tests need, or installs its Debian package where that is allowed and possible (as root).
import { access } from 'node:fs/promises';
import { run } from './steps.mjs';

/**
 * { path } or { path: null, why }. `variable` names the environment variable that says where it is, `places` where it is looked
 * for else; `env` is for the installation.
 */
export async function debianProgram({ name, packageName, variable, places, env = {} }) {
  const found = async () => {
    for (const place of [process.env[variable], ...places].filter(Boolean)) {
      const there = await access(place).then(
        () => true,
        () => false,
      );
      if (there) return place;
    }
    return null;
  };
  const there = await found();
  if (there !== null) return { path: there };
  const isRoot = process.getuid?.() === 0;
  const hasApt = (await run('which', ['apt-get'])).code === 0;
  if (!isRoot || !hasApt) return { path: null, why: `no ${name} was found; install it, or set ${variable}` };
  console.log(`installing ${packageName} with apt-get`);
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', packageName]]) {
    const { code, output } = await run('apt-get', args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...env },
    });
    if (code !== 0) return { path: null, why: `apt-get ${args[0]} failed: ${output.slice(-300)}` };
  }
  return { path: await found(), why: `apt-get installed no ${name} where it is looked for` };
}
