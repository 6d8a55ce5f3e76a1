import { type LaneRow, type Failure, type Result, type SessionStore } from '@amodal/sdk';
/** The entry before the turn of a message that was accepted; the head, where its turn has not begun. */
export declare function beginningOf(key: string, lane: LaneRow, store: SessionStore, signal: AbortSignal): Promise<Result<number, Failure>>;
