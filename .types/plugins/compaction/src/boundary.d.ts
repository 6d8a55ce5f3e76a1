import type { Message } from '@amodal/sdk';
/** Tokens: of the newest messages, and of the newest step alone. */
export interface Room {
    readonly newest: number;
    readonly step: number;
}
/**
 * Where a conversation may be cut: the first of the newest messages that fit, so that no call is torn from its results.
 * What a person has just said stays whatever its size; of what tools have just answered as much as `step`.
 *
 * @param tokensFrom of the messages from an index on
 * @param least messages at the beginning that are a summary already
 * @returns the index of the first message that stays; `undefined` where nothing can go
 */
export declare function boundaryIn(messages: readonly Message[], tokensFrom: (at: number) => number, room: Room, least: number): number | undefined;
