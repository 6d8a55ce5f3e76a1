import type { AccessRule, AccessRules, Action } from '@amodal/sdk';
/** The rules of `access.json` that an action may be meant by. */
export declare function rulesFor({ rules }: Pick<AccessRules, 'rules'>, action: Action): readonly AccessRule[];
/** Whether it is plain from the rules what an answer holds. A path that can be read in two ways is not; nor is a query that names its own fields. */
export declare const isPlain: ({ method, path }: Action) => boolean;
