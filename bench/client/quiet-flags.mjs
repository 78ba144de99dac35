const besides = '--model m --no-preflight --devices none --metrics none --json --quiet --lenient'.split(' ');

/** What a run under test is told besides its load: one model, no look at the host, one summary on stdout. */
export const quietFlags = (store) => [...besides, '--store', store];
