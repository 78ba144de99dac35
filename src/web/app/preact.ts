/** Preact, entered here and nowhere else in the room: docs/decisions/preact.md says why it was chosen. */
export { render } from 'preact';
export type { ComponentChildren, ComponentType } from 'preact';
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
