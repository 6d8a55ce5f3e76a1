import type { ModelCall, SessionId } from '@amodal/sdk';
/**
 * The call with marks behind the system prompt, which tools stand before, and behind the newest message, so that the next
 * call finds all of this one. Nothing else changes. `undefined` where the provider takes no marks.
 */
export declare function marked(call: ModelCall, session: SessionId): ModelCall | undefined;
