import type { AgentEvent, RunContext } from '@amodal/sdk';
import type { Review } from './review.ts';
/** An event as its reader may see it: nothing that may not leave, and values in place of handles where the reader may see them. */
export declare function shownEvent(event: AgentEvent, review: Review, ctx: RunContext): AgentEvent;
