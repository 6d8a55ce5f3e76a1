import type { AgentEvent, Usage, WireUsage } from '@amodal/kernel';
import { type Frame } from './ports/frame.ts';
/** An event as clients get it: what happened, when, and the second spellings of some fields. */
export type WireEvent = AgentEvent & {
    readonly timestamp: string;
};
/**
 * An event in the form that leaves the product: `type`, an ISO `timestamp`, the canonical snake_case fields and
 * the second spellings (`sessionId`, `delta`, `name`, `id`, `args`, `skill`). Values of parameters whose
 * name is a secret's are `[REDACTED]`.
 *
 * @example
 * wireEvent({ at: 0, event: { type: 'text_delta', content: 'hi' } })
 * // { type: 'text_delta', timestamp: '1970-01-01T00:00:00.000Z', content: 'hi', delta: 'hi' }
 */
export declare function wireEvent(frame: Pick<Frame, 'at' | 'event'>): WireEvent;
/** Whether an event is for those alone who ask for all of them (`events: 'all'`): how the model is called. */
export declare const isDetail: ({ type }: Pick<AgentEvent, 'type'>) => boolean;
/** Tokens as clients are told of them: what came from a cache is a part of the input. */
export declare function wireUsage(usage: Usage): WireUsage;
/**
 * The same of a run: what came from a cache and went into it is that of the last call, since each call reports about the
 * whole conversation again.
 */
export declare function wireRunUsage({ usage, last_usage: last }: {
    readonly usage: Usage;
    readonly last_usage?: Usage | undefined;
}): WireUsage;
/**
 * A frame as text of an event stream (`text/event-stream`): an `id` line to resume from, an `event` line, and one
 * `data` line with the type in it too, so that parsers of either kind work.
 */
export declare function frameText(frame: Frame): string;
/** The same as {@link frameText} with the names of the older format (`text`, `tool_call`, `ConfirmationRequired`, …); the fields are the same. */
export declare function legacyFrameText(frame: Frame): string;
/** A frame without its `event` line: a browser gives all of them to the listener of `message`. */
export declare const plainFrameText: (frame: Frame) => string;
