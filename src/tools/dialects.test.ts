import { expect, test } from 'vitest';
import { bare, full, ladder } from '../../test/report-book.ts';
import { dialects } from './index.ts';

const whole = {
  ...full,
  load: { ...full.load, stream: false },
  engine: { server: 's', simulated: true },
  simulated: false,
};
const points = {
  'a run': full,
  'a run that was not streamed': whole,
  'a run of nothing': bare,
  'a run of no requests': { ...bare, counts: { ...bare.counts, planned: 0, failed: 0 } },
  'two runs': { ...ladder, points: ladder.points.slice(0, 2) },
};

test('every dialect prints as agreed', async () => {
  const pages = Object.entries(dialects).flatMap(([name, print]) =>
    Object.entries(points).map(([what, point]) => `# ${name}: ${what}\n${print(point, { lang: 'en' })}`),
  );
  await expect(pages.join('\n')).toMatchFileSnapshot('../../test/fixtures/report/dialects.golden.txt');
});
