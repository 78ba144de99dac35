// A reporter of vitest: a line for each file as it ends; at the end how many tests passed, and what failed in a few lines each, into the file
// that LLMDYNO_TALLY names.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { firstLines } from './steps.mjs';

export default class TallyReporter {
  #seconds = {};

  onTestModuleEnd(module) {
    const file = relative(process.cwd(), module.moduleId);
    const tests = [...module.children.allTests()];
    const many = (state) => tests.filter((test) => test.result().state === state).length;
    const { duration, collectDuration } = module.diagnostic();
    const seconds = (duration + collectDuration) / 1000;
    this.#seconds[file] = seconds;
    const counts = [`${many('passed')} passed`];
    for (const state of ['failed', 'skipped']) if (many(state) > 0) counts.push(`${many(state)} ${state}`);
    // What fails is told in full at the end.
    const failed = tests
      .filter((test) => test.result().state === 'failed')
      .map((test) => `\n     failed: ${test.fullName}`);
    console.log(
      `${module.ok() ? 'ok  ' : 'FAIL'} ${file} (${counts.join(', ')}, ${seconds.toFixed(1)} s)${failed.join('')}`,
    );
  }

  /** What a test says itself: why it leaves something out, say. */
  onUserConsoleLog({ content }) {
    process.stdout.write(process.stdout.isTTY ? content : stripVTControlCharacters(content));
  }

  onTestRunEnd(modules, unhandled) {
    const tally = { passed: 0, failures: [], seconds: this.#seconds };
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
