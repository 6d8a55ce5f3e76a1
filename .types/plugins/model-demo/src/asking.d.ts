import { type Filling } from './fill.ts';
import { type Said } from './said.ts';
import type { Tool, Turn } from './turn.ts';
/** A message that gives what the last reply asked for, together with the messages before it. */
export declare function goOn({ before, text }: Turn, tools: readonly Tool[]): Said | undefined;
export declare function need(tool: Tool, { missing }: Filling): string;
