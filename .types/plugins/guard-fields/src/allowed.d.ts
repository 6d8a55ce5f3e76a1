import { type AccessRule, type Json } from '@amodal/sdk';
/** What `allow_fields` lets through: of several rules for one request, what all of them do. */
export declare class Allowed {
    #private;
    /** The author of the rules says that the answer may be told whatever it looks like. */
    readonly anything: boolean;
    /** What is left then may be told as it stands. */
    readonly vouched: boolean;
    constructor(rules: readonly AccessRule[], isPlain: boolean);
    /** A value with the named fields of its objects only, at any depth. */
    only(value: Json): Json;
}
