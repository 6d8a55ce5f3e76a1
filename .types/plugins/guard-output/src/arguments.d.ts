import { type PreparedCall, type RunContext, type Verdict } from '@amodal/sdk';
import type { Review } from './review.ts';
/** A call that takes something outside may not take what must not leave. */
export declare function guardArguments(verdict: Verdict, call: PreparedCall, review: Review, ctx: RunContext): Verdict | undefined;
