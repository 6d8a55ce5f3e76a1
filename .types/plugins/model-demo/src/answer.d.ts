import type { Passages } from './passages.ts';
import { type Said } from './said.ts';
import type { Tool, Turn } from './turn.ts';
/** What the demo model does next: decided by words alone, the same for the same prompt. */
export declare function answer(turn: Turn, tools: readonly Tool[], passages: Passages, mayCall: boolean): Said;
