import { type Wish } from './intent.ts';
import type { Tool } from './turn.ts';
/** How well a tool fits a message. */
export interface Match {
    readonly tool: Tool;
    readonly score: number;
    /** Share of the message's subjects that the tool has a word for. */
    readonly covers: number;
}
/** Tools by how well they fit, best first; equal ones in the order they are listed. */
export declare function matches(tools: readonly Tool[], text: string, wish: Wish): readonly Match[];
