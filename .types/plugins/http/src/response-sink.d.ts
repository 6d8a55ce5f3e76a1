import type { ServerResponse } from 'node:http';
import type { EventSink } from '@amodal/sdk';
/** Writes a stream of events to a connection: whatever is there at the end of a tick goes out in one write. */
export declare class ResponseSink implements EventSink {
    #private;
    /** @param stallMs ms that a reader which is too far behind may take to catch up before it is cut; it can resume */
    constructor(outgoing: ServerResponse, stallMs: number, room?: number);
    get closed(): boolean;
    write(text: string): boolean;
    drained(): Promise<void>;
    onClosed(listener: () => void): void;
    end(): void;
}
