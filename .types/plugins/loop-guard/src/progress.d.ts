import { type RunContext } from '@amodal/sdk';
/** @returns `undefined` where no model could say */
export declare function isStuck(ctx: RunContext): Promise<boolean | undefined>;
