import { type ModelCall, type RunContext, type StreamTransform } from '@amodal/sdk';
import { type Review } from './review.ts';
/** A reply on its way to the reader and the journal: held back where it may become something that may not leave. */
export declare function replyGuard(review: Review, _call: ModelCall, ctx: RunContext): StreamTransform;
