import type { FrameCursor } from './ports/agent.ts';
import type { Frame } from './ports/frame.ts';
/** Where the text of a stream goes. */
export interface EventSink {
    /** Takes text; `false`: wait for `drained` before the next. */
    write(text: string): boolean;
    /** Resolves when there is room again, or when nobody reads any more. */
    drained(): Promise<void>;
    /** Nobody reads any more. */
    readonly closed: boolean;
    /** Calls `listener` once when nobody reads any more. */
    onClosed(listener: () => void): void;
    end(): void;
}
/** A stream that a server may write straight to its connection instead of reading the response's body. */
export interface StreamSource {
    /** Bytes that may wait for a reader before `write` says so; 1 MiB where it is not given. */
    readonly room?: number;
    /** Writes every frame and ends the sink. Rejects where frames cannot be read or written; the sink is not ended then. */
    send(sink: EventSink): Promise<void>;
}
export interface EventStreamOptions {
    /** Ends the stream early; a reader that leaves ends it as well. */
    readonly signal?: AbortSignal;
    /** ms between two comment lines that keep proxies from closing a quiet stream; 15,000 where it is not given. */
    readonly heartbeatMs?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** How a frame is written; {@link frameText} where it is not given. An empty text leaves it out. */
    readonly text?: (frame: Frame) => string;
}
/**
 * Answers with frames as server-sent events, and ends with them. The response is a standard one and works on any
 * host; the HTTP plugin finds its source with {@link streamSourceOf} and writes it to the socket without a web stream.
 *
 * @param frames read to their end; closed when the reader leaves
 * @returns status 200, `text/event-stream`
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 *
 * @example
 * const sent = await agent.send({ text: 'hello' })
 * return sent.ok ? eventStream(sent.value.frames) : failed(sent.error)
 */
export declare function eventStream(frames: FrameCursor, options?: EventStreamOptions): Response;
export interface StreamResponseOptions {
    /** Called where nobody ever reads the body. */
    readonly unread?: () => void;
    readonly headers?: Readonly<Record<string, string>>;
}
/** Answers with whatever a source writes, as server-sent events: what {@link eventStream} is made of. */
export declare function streamResponse(source: StreamSource, { unread, headers }?: StreamResponseOptions): Response;
/** The source behind a response of {@link eventStream}, also of another copy of this package. */
export declare function streamSourceOf(response: Response): StreamSource | undefined;
