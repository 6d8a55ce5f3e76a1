import { type Said } from './said.ts';
import type { Tool, Turn } from './turn.ts';
/** A record that is to be changed is read first, so that what is not named stays as it is. */
export declare function lookFirst(tool: Tool, turn: Turn, tools: readonly Tool[]): Said | undefined;
/** The second half of a change: the record that was read, with what the message says. */
export declare function change(turn: Turn, tools: readonly Tool[]): Said | undefined;
