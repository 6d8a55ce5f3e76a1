import type { LaneRef } from '@amodal/sdk';
/** One text for a session of a tenant, for tables in memory. */
export declare const laneKey: ({ tenant, session }: LaneRef) => string;
