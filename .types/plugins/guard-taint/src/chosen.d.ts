import { type Json, type PreparedCall } from '@amodal/sdk';
/** A value that decides what a call does: to whom, where, how much, what is run. */
export interface Chosen {
    /** Where it stands: `path`, `query.to`, `body.items[0].amount`. */
    readonly field: string;
    readonly value: string | number;
}
/** What a call does outside, value by value: what stands there to be read is left out. */
export declare function chosenBy(call: PreparedCall): readonly Chosen[];
/** The parts of the path of a call, decoded; none, where it has no path. */
export declare const pathOf: ({ action }: PreparedCall) => readonly string[];
/** A path without the beginning that the connection brings itself. */
export declare function belowBase(path: string, base?: string): string;
/** @param graphql `query` of it is a document, of which the literals count */
export declare function chosenIn(value: Json, field: string, name: string, graphql?: boolean): readonly Chosen[];
