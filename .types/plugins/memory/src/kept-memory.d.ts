import type { LastRead } from '@amodal/sdk';
import type { Memory, MemoryStore } from './tokens.ts';
/** The same store, asked for its list only where that is not known. */
export declare function keptMemory(inner: MemoryStore, kept: LastRead<readonly Memory[]>, owner: string): MemoryStore;
