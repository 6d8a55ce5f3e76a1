import { type Failure, type Message, type Result, type RunContext, type Usage } from '@amodal/sdk';
import { type Snapshot } from './snapshot.ts';
export interface Summarised {
    readonly notes: Snapshot;
    readonly settled: readonly string[];
    readonly usage: Usage;
}
/**
 * Asks the `explore` model for what is new in messages.
 *
 * @param chars at most, of the messages as they are sent
 */
export declare function summarise(messages: readonly Message[], before: Snapshot, chars: number, ctx: RunContext): Promise<Result<Summarised, Failure>>;
