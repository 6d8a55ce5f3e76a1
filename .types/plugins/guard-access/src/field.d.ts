import { type Json } from '@amodal/sdk';
import type { Body } from './body.ts';
import type { Parameters } from './template.ts';
/** A step of a field path: a name, an index, or any item. */
type Step = string | number | typeof ANY;
declare const ANY: unique symbol;
export interface FieldPath {
    readonly root: 'body' | 'query' | 'path' | 'headers';
    readonly steps: readonly Step[];
}
/** What stands at a path. `doubt`: something on the way is not what the path expects. */
export interface Found {
    readonly values: readonly Json[];
    readonly doubt: boolean;
}
/** The parts of a request that a threshold may look at. */
export interface Looked {
    readonly body: Body;
    readonly query: Readonly<Record<string, readonly string[]>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly path: Parameters;
}
/** `body.items[].qty`, `query.page[size]`, `path.id`; `undefined` where it is no such path. */
export declare function parseField(field: string): FieldPath | undefined;
/** All values at a path of a request. What is not there at all is no doubt. */
export declare function valuesAt({ root, steps }: FieldPath, { body, query, headers, path }: Looked): Found;
export {};
