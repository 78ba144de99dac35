/** Workers that were told to cancel everything and do not say so are not waited for longer than this. */
const cancelledMs = 10_000;

/** How a run was told to stop, and whether the wait for the workers' answers is over. */
export class RunStop {
  word: 'no' | 'stop-sending' | 'cancel-all' = 'no';
  overdue = false;

  get said(): boolean {
    return this.word !== 'no';
  }

  /** `overdue` is called when workers were given enough time to cancel. */
  say(word: 'stop-sending' | 'cancel-all', overdue: () => void): void {
    this.word = word;
    if (word === 'stop-sending') return;
    setTimeout(() => {
      this.overdue = true;
      overdue();
    }, cancelledMs).unref();
  }
}
