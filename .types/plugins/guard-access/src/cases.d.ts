import type { Action } from '@amodal/sdk';
import { type Body } from './body.ts';
import type { Covering, RuleBook } from './rules.ts';
/** One way in which an action can be read, with the rules that cover it then. */
export interface Case {
    readonly action: Action;
    /** For people. */
    readonly name: string;
    readonly covering: readonly Covering[];
    readonly write: boolean;
    readonly body: Body;
}
export declare const isRead: ({ protocol, method }: Action) => boolean;
/**
 * All readings of an action: of its path, of each root field of each GraphQL document. There is always one.
 *
 * @param base the beginning of the path that the connection brings itself
 */
export declare function casesOf(book: RuleBook, action: Action, base: string): readonly Case[];
