import { type ChildOutcome, type OpenChild, type RunContext } from '@amodal/sdk';
import { type Child } from './child.ts';
import type { Definition } from './definition.ts';
import type { Around } from './dispatcher.ts';
/** Begins one sub-agent, or finds it at work, and listens until it has ended or asks. */
export declare class Following {
    #private;
    constructor(open: OpenChild, definition: Definition, child: Child, ctx: RunContext, around: Around);
    /** Never rejects. */
    outcome(): Promise<ChildOutcome>;
}
