import type { Inspection } from './inspection.ts';
/**
 * Draws what a kernel is made of as a tree for a terminal.
 *
 * @example
 * console.log(toText(inspectionOf(kernel)))
 */
export declare function toText(inspection: Inspection): string;
