import { type Action, type Connection, type FieldRestriction, type Json } from '@amodal/sdk';
import { type Names } from './names.ts';
import { type Match } from './variants.ts';
/** A restricted field, ready to be looked for. */
export interface Field {
    readonly restriction: FieldRestriction;
    readonly entity: string;
    readonly steps: readonly string[];
    /** `contactssn` is the `ssn` of a contact. */
    readonly joined: string;
}
export interface Found {
    readonly restriction: FieldRestriction;
    readonly match: Match;
}
/** What is restricted in the answer to one action. */
export declare class Restricted {
    #private;
    constructor({ access }: Pick<Connection, 'access'>, action: Action);
    /** Those that the rules say the answer may hold. */
    get expected(): readonly FieldRestriction[];
    /** Entities that an object may be, by the rules, by the field it stands in and by what it says of itself. */
    entitiesIn(value: Readonly<Record<string, Json>>, above: ReadonlySet<string>, names: Names): ReadonlySet<string>;
    /** The same for what stands in a field, by the stem of its name: `primarycontact`, `contact`. */
    entitiesOf(stem: string, above: ReadonlySet<string>): ReadonlySet<string>;
    /**
     * The strictest restriction of a field.
     *
     * @param path stems of the fields that it stands in
     */
    at(name: string, path: readonly string[], entities: ReadonlySet<string>): Found | undefined;
    /** The restriction that a name speaks of where nothing says where the field stands: a column, a label, a pair. */
    named(name: string, entities: ReadonlySet<string>): Found | undefined;
    /** Restrictions of texts, where only the name of a field can say which it is. */
    fields(entities: ReadonlySet<string>): readonly Field[];
}
