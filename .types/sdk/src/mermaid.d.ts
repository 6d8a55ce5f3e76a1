import type { Inspection } from './inspection.ts';
/**
 * The plugins of a kernel as a Mermaid graph: an arrow leads from what is needed to what needs it.
 *
 * @example
 * await writeFile('plugins.mmd', toMermaid(inspectionOf(kernel)))
 * @see https://mermaid.js.org/syntax/flowchart.html
 */
export declare function toMermaid({ plugins, edges }: Inspection): string;
