/**
 * The current read: when it was made, and the server's stamp of its first event (NaN = it has none). One for the whole thread, because a
 * read is handled to its end before the next one happens. In an array, because V8 makes an object of a fraction that is handed from
 * function to function: at fifty thousand reads a second these made the garbage collector stop the client twice as often.
 */
export const currentRead = new Float64Array(3);
/** Its places. */
export const readAt = 0;
export const stampAt = 1;
/** Beside the current read: output tokens that this thread has heard since it began, over all answers. */
export const tokensHeard = 2;
