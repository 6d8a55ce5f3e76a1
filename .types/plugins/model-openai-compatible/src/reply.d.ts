import type { StreamPart } from '@amodal/sdk';
/**
 * One reply, from the data of its events to the parts of the AI SDK. Nothing is waited for and
 * nothing is piped: a web stream per stage is what a reply costs most.
 */
export declare class Reply {
    #private;
    /** Nothing follows: the finish part has been sent. */
    ended: boolean;
    constructor(url: string, emit: (part: StreamPart) => void);
    /** The model has finished, and only counts and the end mark may follow. */
    get finished(): boolean;
    /** Takes the data of one event. What is no valid reply ends it, with an `error` part; the end mark ends it well, and nothing behind it counts. */
    push(data: string): void;
    /** The stream is over: a reply without a finish reason was cut short. `hint` says what came instead. */
    end(hint?: string): void;
    /** Ends the reply with an error. Tool calls that were not complete never become calls. */
    fail(error: unknown): void;
}
