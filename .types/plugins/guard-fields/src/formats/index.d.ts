import type { Place, Understood } from './understood.ts';
export { isAcknowledgement, type Understood } from './understood.ts';
export { isHeader } from './header.ts';
/** Reads a text as what it is; `undefined` where it is none of the forms that say what their values are. */
export declare function understand(text: string, { isRestricted, whole }: Omit<Place, 'read'>, layer?: number): Understood | undefined;
