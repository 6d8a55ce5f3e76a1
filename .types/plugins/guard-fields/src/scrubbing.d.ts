import { type Action, type FieldRestriction, type Json, type RunContext, type Withheld } from '@amodal/sdk';
import type { Allowed } from './allowed.ts';
import type { Restricted } from './fields.ts';
import type { Book } from './ledger.ts';
import { type Names } from './names.ts';
export declare const MASKED = "[MASKED]";
/** One answer on its way in: what is taken out of it, and what is left. */
export declare class Scrubbing {
    #private;
    /** Fields removed, redacted or masked. */
    stripped: number;
    /** Some of it is not told, since nothing says what it is. */
    left: number;
    /** It took more work than one answer may. */
    exceeded: boolean;
    /** Restricted fields that the answer may hold, and that this person may not see: it is understood, or it is not told. */
    readonly closed: readonly FieldRestriction[];
    constructor(restricted: Restricted | undefined, book: Book, names: Names, action: Action, { roles }: Pick<RunContext, 'roles'>, allowed: Allowed);
    /** What was not known before. */
    get withheld(): readonly Withheld[];
    /** A whole answer; `undefined`: nothing says what it holds. */
    whole(value: Json): Json | undefined;
    value(value: Json): Json;
    /** Our own words, with what they quote. */
    text(text: string, entities?: ReadonlySet<string>): string;
    /** What stands in place of what is not told. */
    mark(): string;
}
