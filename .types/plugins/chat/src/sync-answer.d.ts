import { type TurnResult } from '@amodal/sdk';
/**
 * A whole turn as one JSON answer: 200, 202 where it waits for a person (`pending_input`), or the status of the
 * error it ended with.
 */
export declare function syncAnswer(turn: TurnResult): Response;
/** A turn that is over, or waits; `pending` as it is shown. */
export type ReadTurn = Omit<TurnResult, 'pending' | 'session'> & {
    readonly session: string;
    readonly pending: readonly object[];
};
/** The answer's body and status. */
export declare function shownTurn({ session, text, events, reason, usage, pending }: ReadTurn): {
    readonly status: number;
    readonly body: object;
};
