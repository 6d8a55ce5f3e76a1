import { type JsonObject, type RunContext } from '@amodal/sdk';
export declare const KEY = "plan-mode";
type Place = Pick<RunContext, 'sessionState' | 'run' | 'bundle'>;
/** `always`: a plan counts for its own run only, and no message switches plan mode off. */
export declare function isPlanning(place: Place, always: boolean): boolean;
/** The plan that was approved and still counts. */
export declare function planOf(place: Place, always: boolean): string | undefined;
export declare const entering: JsonObject;
export declare const approved: (plan: string, run: string) => JsonObject;
export {};
