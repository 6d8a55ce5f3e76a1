import { type JsonObject, type Result } from '@amodal/sdk';
import { type Handlers, type Code } from './handlers.ts';
import type { LoadFailure } from './process/handler-process.ts';
import { z } from 'zod';
declare const Problems: z.ZodArray<z.ZodObject<{
    file: z.ZodString;
    message: z.ZodString;
    line: z.ZodInt;
}, z.core.$strip>>;
export type SyntaxProblem = z.output<typeof Problems>[number];
/** Files that are no TypeScript or Python, all looked at in one process, which runs nothing of them. */
export declare function syntaxProblems(root: string, paths: readonly string[], code: 'typescript' | 'python', handlers: Handlers): Promise<readonly SyntaxProblem[]>;
/** What a single file says of its tool. The file is run for that, in its sandbox, without variables and with a deadline. */
export declare function definitionIn(root: string, code: Code, handlers: Handlers, signal: AbortSignal): Promise<Result<JsonObject | undefined, LoadFailure>>;
export {};
