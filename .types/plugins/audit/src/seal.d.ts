import { type TenantId } from '@amodal/sdk';
import { z } from 'zod';
import type { Head } from './line.ts';
import { type Signer } from './signer.ts';
/**
 * What stands beside the head of a chain in the database: whoever moved it has signed it, and says how many checkpoints
 * there were. It travels with the lines, in the same statement.
 */
declare const Seal: z.ZodObject<{
    writer: z.ZodString;
    process: z.ZodString;
    seq: z.ZodInt;
    at: z.ZodString;
    key: z.ZodString;
    signature: z.ZodString;
}, z.core.$strict>;
export type Seal = Readonly<z.output<typeof Seal>>;
/** A head as the database holds it. */
export interface SealedHead extends Head {
    readonly seal: string | undefined;
}
export declare function sealOf(signer: Signer, tenant: TenantId, head: Head, seq: number, now: number): string;
/** The seal of a head; `undefined` where it has none, or one that was not made for it. */
export declare function readSeal(tenant: TenantId, { seal: text, ...head }: SealedHead): Seal | undefined;
export {};
