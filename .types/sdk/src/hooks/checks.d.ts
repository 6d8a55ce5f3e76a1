import type { RouteVerdict } from '../ports/model.ts';
import { type Verdict } from '../ports/verdict.ts';
export declare function onlyRaised(after: Verdict, before: Verdict): string | undefined;
/** A model, or what else to do. */
export declare const aRoute: (verdict: RouteVerdict) => string | undefined;
/** For values whose type alone keeps them in shape: what is read next has to be there. */
export declare const has: (...keys: readonly string[]) => (after: object) => string | undefined;
