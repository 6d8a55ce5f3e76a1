import { type AccessRules, type Action, type JsonObject } from '@amodal/sdk';
import type { Judgement } from './judge.ts';
/** What the person who decides is shown beside the arguments. */
export declare function contextOf(action: Action, { escalated, rule, bulk }: Judgement, alternatives: readonly string[]): JsonObject;
/** Other ways to what was asked for, where the rules know one: by what the rule returns, or by the name of the field. */
export declare function alternativesTo({ path, query }: Action, { rule }: Judgement, { alternativeLookups }: AccessRules): readonly string[];
