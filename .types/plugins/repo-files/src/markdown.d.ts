import { type BundleFile, type JsonObject } from '@amodal/sdk';
import { type Issues } from '@amodal/sdk/files';
/** A markdown file, taken apart. */
export interface Markdown {
    /** Of the frontmatter; empty where there is none. */
    readonly fields: JsonObject;
    /** What follows the frontmatter, by lines. */
    readonly lines: readonly string[];
    /** Line of the file on which `lines` begin. */
    readonly firstLine: number;
}
/** Splits off the frontmatter; `undefined`, with an issue, where it cannot be read. */
export declare function readMarkdown({ path: file, text }: BundleFile, issues: Issues): Markdown | undefined;
/** Frontmatter that sounds like a protection, and protects nothing. `true` where there is some. */
export declare function refuseUnreadProtections(source: BundleFile, fields: JsonObject, issues: Issues): boolean;
/** Line of the file on which a field of the frontmatter begins. */
export declare function lineOfField({ text }: BundleFile, name: string): number;
/** The first heading of the first level, outside of code. */
export declare function titleAt(lines: readonly string[]): {
    readonly title: string;
    readonly index: number;
} | undefined;
/** A field of the frontmatter as text: numbers and the like as they are written. */
export declare function textField(fields: JsonObject, name: string): string | undefined;
export declare const joined: (lines: readonly string[]) => string;
