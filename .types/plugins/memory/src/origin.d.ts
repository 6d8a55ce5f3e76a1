import { type RunContext } from '@amodal/sdk';
import type { MemoryOrigin } from './tokens.ts';
/**
 * Whose word a note is. Where the conversation holds nothing from outside, it can only be the person's or the agent's own;
 * where it does, each word that carries meaning has to stand in what the person wrote.
 */
export declare function originOf(text: string, { messages, delegated }: Pick<RunContext, 'messages' | 'delegated'>): MemoryOrigin;
