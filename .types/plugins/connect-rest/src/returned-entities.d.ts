import { type AccessRules, type Action } from '@amodal/sdk';
/**
 * Entities that the answer to an action may hold, by their {@link nameKey}: of every rule that could be meant, in any reading of the path.
 *
 * @returns `undefined` where no rule says anything
 */
export declare function returnedEntities({ rules }: Pick<AccessRules, 'rules'>, action: Action, basePath: string): ReadonlySet<string> | undefined;
/** The row that a POST names: its path up to the last segment that a rule leaves open, such as `{id}`. */
export declare function namedRow({ rules }: Pick<AccessRules, 'rules'>, { path, method }: Action, basePath: string): string | undefined;
