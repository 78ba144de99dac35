/** What a run under test is told besides its load: one model, one load, no look at the host, one summary on stdout. */
export const quietFlags = (store) => [
  ...['--model', 'm', '--no-preflight', '--devices', 'none', '--metrics', 'none'],
  ...['--json', '--quiet', '--lenient', '--store', store],
];
