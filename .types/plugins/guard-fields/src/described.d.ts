import { type JsonObject } from '@amodal/sdk';
import type { Found } from './fields.ts';
import type { Mentions } from './mentions.ts';
export interface Described {
    readonly found: Found;
    /** Fields that hold its value. */
    readonly values: ReadonlySet<string>;
}
/**
 * Whether an object says of itself that it is about a restricted field: `{ name: 'ssn', value: … }`, a step of a patch, a
 * change, an answer to a question.
 */
export declare function describedIn(value: JsonObject, named: (name: string) => Found | undefined, mentions: Pick<Mentions, 'in' | 'withValue'>): Described | undefined;
