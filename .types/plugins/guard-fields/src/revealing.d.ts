import { type Failure, type Handles, type RunContext, type Result } from '@amodal/sdk';
/** Knows what each run has withheld, by the scope that its calls are made in. */
export declare class Revealing implements Handles {
    #private;
    /** Every call passes here, before it is made. */
    remember(ctx: RunContext): void;
    reveal(text: string, ctx: Parameters<Handles['reveal']>[1]): Result<string, Failure>;
}
