/** A text that says the same as another one in plainer signs; every character knows the place it came from. */
export interface Readable {
    readonly text: string;
    readonly starts: readonly number[];
    readonly ends: readonly number[];
    /** Places before which something else may have ended, though no sign stands there. */
    readonly seams?: ReadonlySet<number>;
}
/** Escapes and entities read, tags and the numbers of lists left out, styled characters made plain; or nothing where there are none. */
export declare function unescaped({ text, seams }: Plain): Readable | undefined;
type Plain = Pick<Readable, 'text'> & {
    readonly seams?: ReadonlySet<number> | undefined;
};
/** Quoted-printable (RFC 2045, section 6.7), apart from the others since `=` stands in many texts that are none. */
export declare function unquoted({ text, seams }: Plain): Readable | undefined;
/** Texts that are written as the numbers of their characters. */
export declare function numberedIn(text: string): readonly Readable[];
export {};
