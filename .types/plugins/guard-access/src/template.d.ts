import { type Result } from '@amodal/sdk';
/** A part of a template. A parameter may have fixed text around it: `{id}.json`. */
export type Part = {
    readonly kind: 'literal';
    readonly text: string;
} | {
    readonly kind: 'parameter';
    readonly name: string;
    readonly before: string;
    readonly after: string;
}
/** `**`: any number of segments, none among them. */
 | {
    readonly kind: 'rest';
};
export type Template = readonly Part[];
/** Values of parameters by their names in small letters. */
export type Parameters = ReadonlyMap<string, string>;
/**
 * Reads the path of a rule. `{x}` is exactly one segment, or a part of one beside fixed text; so is `*`, without a
 * name; `**` is any rest, once in a template and anywhere.
 *
 * @returns what is wrong with it: a template that would never match is a protection that is not there
 * @example parseTemplate('/repos/{owner}/{repo}/contents/**')
 */
export declare function parseTemplate(path: string): Result<Template, string>;
/**
 * Compares a template with segments.
 *
 * @param numeric `007` and `7.0` are the literal `7`, as they are for servers that read numbers
 * @returns the values of its parameters, or `undefined`
 */
export declare function matchTemplate(template: Template, segments: readonly string[], numeric: boolean): Parameters | undefined;
/** Whether a template begins with these segments; what is left of it then. */
export declare function withoutBase(template: Template, base: readonly string[]): Template | undefined;
/** Positive where the first is the more specific: from the left, a literal before a parameter before any rest. */
export declare function compareTemplates(one: Template, other: Template): number;
