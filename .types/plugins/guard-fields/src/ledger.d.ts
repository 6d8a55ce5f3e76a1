import type { FieldRestriction, Withheld } from '@amodal/sdk';
/** What a session has withheld, by value: the same value has the same handle as long as the session lives. */
export declare class Ledger {
    #private;
    /** @param withheld of the session: the list that grows with it */
    of(withheld: readonly Withheld[]): Book;
}
export declare class Book {
    #private;
    constructor(withheld: readonly Withheld[]);
    /** What is to be kept of a value, with the handle it has had before. */
    entry(value: string, { entity, field, policy, sensitivity, allowedRoles }: FieldRestriction, connection: string): Withheld;
    knows(one: Withheld): boolean;
}
