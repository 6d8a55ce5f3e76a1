import type { PromptSection } from '@amodal/sdk';
import type { Memory } from './tokens.ts';
/**
 * The notes as the prompt has them, the oldest first, so that a new one is appended and the rest stays byte for byte.
 * Notes of somebody else's word are not there: they are found with a tool, whose result counts as untrusted.
 */
export declare function memorySection(notes: readonly Memory[], promptChars: number): PromptSection | undefined;
