/** uPlot, entered here and nowhere else in the room: docs/decisions/uplot.md says why it was chosen. */
import uPlot from 'uplot';

export { uPlot };
