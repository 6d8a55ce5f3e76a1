import { type Json } from '@amodal/sdk';
import type { Body } from './body.ts';
/** A write of many things at once. */
export interface Bulk {
    readonly count: number;
    readonly items: readonly Json[];
}
/** The longest list that a body holds, where it has more than five items. */
export declare function bulkOf(body: Body): Bulk | undefined;
