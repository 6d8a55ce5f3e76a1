import { type SessionTotals } from '@amodal/sdk';
import type { Lane } from './lane.ts';
/** What these sessions came to. */
export declare function totalsOf(lanes: readonly Lane[]): SessionTotals;
/** The name of the sub-agent whose session it is. */
export declare function subagentOf({ parent, forkedAt, meta }: Lane): string | undefined;
