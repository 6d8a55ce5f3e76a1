import type { Message } from '@amodal/sdk';
export interface ViewLimits {
    /** Tokens, of the whole call. */
    readonly maskAt: number;
    /** Tokens of the newest outputs, which stay. */
    readonly protect: number;
    /** Tokens of an output that is large enough to be masked. */
    readonly bulky: number;
    /** Characters of one result. */
    readonly resultChars: number;
}
/**
 * A conversation as the model sees it: each result cut to its cap, and older outputs masked where it grows large. It is
 * folded message by message, so that the same conversation gives the same view however often, and wherever, it is made.
 */
export declare class View {
    #private;
    shown: Message[];
    /** Tokens of what is shown. */
    tokens: number;
    /** Tokens that masking has taken out since the last reply was shown. */
    freed: number;
    changed: boolean;
    constructor(limits: ViewLimits);
    /** Whether `messages` are those of this view with more behind them. */
    goesOnWith(messages: readonly Message[]): boolean;
    /** @param overhead tokens of what goes with every call */
    follow(messages: readonly Message[], overhead: number): void;
    /** Tokens of the messages from here on. */
    tokensFrom(at: number): number;
}
