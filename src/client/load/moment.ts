/**
 * The read at hand: when it was made, and the server's stamp of its first event (NaN = it has none). One for the whole thread, since a
 * read is looked at to its end before the next one happens. In an array, because a fraction that is handed from function to
 * function is a new object each time: at fifty thousand reads a second these made the collector stop the client twice as often.
 */
export const moment = new Float64Array(3);
/** Its places. */
export const readAt = 0;
export const stampAt = 1;
/** Beside the read at hand: output tokens that this thread has heard since it began, over all answers. */
export const tokensHeard = 2;
