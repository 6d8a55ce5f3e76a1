import type { Exchange } from './exchange.ts';
import { type ClientEvent, type OutgoingMessage } from './types.ts';
export interface ResumeOptions {
    /** Tries in a row that bring nothing new before the stream gives up; 10 where it is not given. */
    readonly tries?: number;
}
/** Where to go on. */
interface Place {
    readonly session: string;
    readonly last?: string; /** Of the message whose turn it is. */
    readonly key?: string;
}
/**
 * Sends a message and gives the events of its turn, gapless over cut connections: it goes on after the last event
 * that arrived. Before the first one it sends the message again under the same key, which the server takes once.
 */
export declare function turnStream(exchange: Exchange, message: OutgoingMessage, options: ResumeOptions): AsyncGenerator<ClientEvent, void, undefined>;
/** Gives the events of the run in progress, from a place on where one is given; ends at once where nothing runs. */
export declare function followStream(exchange: Exchange, place: Place, signal: AbortSignal | undefined, options: ResumeOptions): AsyncGenerator<ClientEvent, void, undefined>;
export {};
