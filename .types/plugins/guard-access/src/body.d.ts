import { type Json } from '@amodal/sdk';
/** A body as whoever receives it might read it. */
export type Body = {
    readonly kind: 'none';
}
/** `twins`: a name is there twice in one object, and servers disagree on which one counts. */
 | {
    readonly kind: 'json';
    readonly value: Json;
    readonly twins: boolean;
} | {
    readonly kind: 'form';
    readonly fields: Readonly<Record<string, readonly string[]>>;
}
/** A text that is neither. */
 | {
    readonly kind: 'opaque';
};
/** A text is read as JSON, else as a form, whatever it says that it is. */
export declare function readBody(body: Json | undefined): Body;
