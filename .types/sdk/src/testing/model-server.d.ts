/**
 * A scripted model behind the real protocols, on loopback: for tests that want a model which says
 * exactly this, or fails in exactly that way, and for benchmarks, where it must not be the
 * bottleneck (thousands of short turns a second). Which protocol is spoken, the path says: chat
 * completions, OpenAI's responses, Anthropic's messages, Google's generateContent.
 *
 * It is strict: a history that a real endpoint would refuse gets the same 400 here.
 */
import { type IncomingHttpHeaders } from 'node:http';
import { type ChatCompletionRequest } from './model-protocol.ts';
import type { Script } from './model-reply.ts';
export * from './model-protocol.ts';
export * from './model-reply.ts';
export interface RecordedRequest {
    /** Counted from 0, over all accepted requests of this server. */
    readonly n: number;
    /** Milliseconds since the epoch. */
    readonly at: number;
    readonly headers: IncomingHttpHeaders;
    /** As a chat completion, whatever the protocol. */
    readonly body: ChatCompletionRequest;
    /** As it was sent. */
    readonly sent: unknown;
    /** Of the request, with its query. */
    readonly path: string;
    /** The client closed the connection before the answer was complete. */
    readonly aborted: boolean;
    /** Nothing more will be sent, whoever ended it. */
    readonly closed: boolean;
}
export interface ModelServer {
    /** The base URL for a provider of any protocol, `http://127.0.0.1:PORT/v1`. */
    readonly url: string;
    readonly port: number;
    /** The newest requests, oldest first; requests that were refused are not among them. */
    readonly requests: readonly RecordedRequest[];
    /** How many requests were accepted so far. */
    readonly count: number;
    /** Replaces the script for the requests to come. A list starts again from its first reply. */
    play(script: Script): void;
    /** Drops every connection and frees the port. */
    close(): Promise<void>;
}
export interface ModelServerOptions {
    readonly script: Script;
    /** Default: any free port. */
    readonly port?: number;
    /** How many requests are remembered. Default 1,000. */
    readonly keep?: number;
}
/**
 * Starts a scripted model server on 127.0.0.1.
 *
 * @returns the running server. Rejects where the port is taken.
 * @example
 * const server = await startModelServer({ script: reply.text('Hello.') })
 * // point a provider's baseUrl at server.url, talk to the agent, then:
 * server.requests[0]?.body.messages
 * await server.close()
 */
export declare function startModelServer(options: ModelServerOptions): Promise<ModelServer>;
