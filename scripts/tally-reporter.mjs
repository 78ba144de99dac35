// A reporter of vitest: how many tests passed, and what failed in a few lines each, into the file that LLMDYNO_TALLY names.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { firstLines } from './steps.mjs';

export default class TallyReporter {
  onTestRunEnd(modules, unhandled) {
    const tally = { passed: 0, failures: [] };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed') tally.passed += 1;
        if (state === 'failed') tally.failures.push(told(`${file} > ${test.fullName}`, errors));
      }
      // What failed outside any test: a file that could not be loaded, a hook.
      for (const around of [module, ...module.children.allSuites()])
        if (around.errors().length > 0)
          tally.failures.push(told(around === module ? file : `${file} > ${around.fullName}`, around.errors()));
    }
    for (const error of unhandled) tally.failures.push(told('an error that no test caught', [error]));
    writeFileSync(process.env.LLMDYNO_TALLY, JSON.stringify(tally));
  }
}

function told(name, errors) {
  const messages = errors.map(({ message, stack, diff }) => {
    const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node_modules'));
    return [
      firstLines(String(message), 12),
      ...(diff === undefined ? [] : [firstLines(diff, 24)]),
      firstLines(frames.join('\n'), 4),
    ].join('\n');
  });
  return { name, message: stripVTControlCharacters(messages.join('\n')) };
}
