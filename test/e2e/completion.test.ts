import { execFile } from 'node:child_process';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { dyno, emptyFolder } from './dyno.ts';

// A label is a stranger's word: Tab shows it and never runs it.

/** What bash offers for a word after `dyno report`, where the store answers with these lines. */
async function offered(word: string, lines: readonly string[]): Promise<string[]> {
  const folder = await emptyFolder();
  const [script, names] = [join(folder, 'completion.bash'), join(folder, 'names')];
  await writeFile(script, (await dyno(['completion', 'bash'])).out);
  await writeFile(names, lines.map((line) => `${line}\n`).join(''));
  const typed = `dyno() { [ "$*" = "runs addresses" ] || [ "$*" = "runs addresses SWEEP" ] && cat names; }
source ./completion.bash
COMP_WORDS=(dyno report "$1"); COMP_CWORD=2; COMPREPLY=(); _dyno
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', typed, 'bash', word], { cwd: folder });
  await expect(access(join(folder, 'pwned'))).rejects.toThrow('ENOENT');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  test('a label with a command in it is offered as it is', async () => {
    const hostile = ['x$(touch pwned)y', 'x`touch pwned`', 'x"; touch pwned; "', 'x ${IFS} *'];
    expect(await offered('x', hostile)).toEqual(hostile);
  });
  test('points inside of a sweep are offered after [ and /', async () => {
    const points = ['SWEEP[concurrency=8]', 'SWEEP/p01'];
    expect(await offered('SWEEP[', points)).toEqual(['SWEEP[concurrency=8]']);
    expect(await offered('SWEEP/', points)).toEqual(['SWEEP/p01']);
  });
});
