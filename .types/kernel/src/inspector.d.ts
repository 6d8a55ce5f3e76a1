import type { KernelFacts } from './kernel.ts';
/** What the running kernel is made of. Provided by the kernel itself. */
export interface Inspector {
    facts(): KernelFacts;
}
export declare const Inspector: import("./token.ts").Slot<Inspector, "kernel">;
