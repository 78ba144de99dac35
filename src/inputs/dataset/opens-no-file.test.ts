import { expect, test } from 'vitest';
import { madeKinds } from './made-kinds.ts';
import { opensNoFile } from './opens-no-file.ts';

test('what is made up or built in opens no file', () => {
  for (const spec of [
    'builtin:questions',
    'random',
    'continuation',
    'sonnet',
    'filler',
    'images',
    'images:width=448,height=448,count=1',
    'shared-prefix',
    'shared-prefix:groups=16,prefix=2048,zipf=1.1',
  ])
    expect(opensNoFile(spec), spec).toBe(true);
});

test('everything that may name a file or folder does not pass, however it is written', () => {
  const files = ['a.jsonl', '..', '.', 'etc', '/etc/passwd', 'width', 'a,b=1', 'width=1,..', '=1', 'x=1,y'];
  for (const kind of ['', ...Object.keys(madeKinds), 'openqa', 'mix', 'continuation', 'builtin'])
    for (const file of files)
      expect(opensNoFile(kind === '' ? file : `${kind}:${file}`), `${kind}:${file}`).toBe(false);
});
