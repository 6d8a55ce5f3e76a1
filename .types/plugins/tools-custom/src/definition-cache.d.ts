import type { JsonObject } from '@amodal/sdk';
import type { SyntaxProblem } from './examine.ts';
/** What code has said of its tool, by the digest of the code: a reload asks again only where something changed. */
export declare class Definitions {
    #private;
    has(digest: string): boolean;
    get(digest: string): JsonObject | undefined;
    set(digest: string, definition: JsonObject | undefined): void;
    /** Why the code cannot be parsed; `undefined` where nobody knows. */
    problem(digest: string): SyntaxProblem | undefined;
    setProblem(digest: string, problem: SyntaxProblem): void;
    /** Forgets the rest. */
    keep(digests: ReadonlySet<string>): void;
}
