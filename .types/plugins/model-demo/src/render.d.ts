import type { Outcome, Tool } from './turn.ts';
/** The results of a turn's calls, as text for the person who asked. */
export declare function render(outcomes: readonly Outcome[], text: string, tools: readonly Tool[]): string;
