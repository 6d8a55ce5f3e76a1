import { type InputAnswered, type JsonObject, type Placed } from '@amodal/sdk';
/** Which way an approval went, by whom and when. Where its time was over, it was nobody's decision. */
export declare function decisionOf({ ask, answer, void: reason, principal, at }: InputAnswered): JsonObject;
/** Each approval of a session's history: what was asked, and what it came to. One that is open, or whose run was cancelled over it, has no decision. */
export declare function approvalsOf(entries: readonly Placed[]): readonly JsonObject[];
