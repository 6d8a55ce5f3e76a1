import { type Failure, type Result } from '@amodal/sdk';
import type { z } from 'zod';
/**
 * Reads a JSON body and checks it. An empty body counts as `{}`.
 *
 * @returns the parsed body; `UNSUPPORTED_MEDIA` where it is not declared as JSON (which also keeps foreign pages from
 * posting forms), `TOO_LARGE`, or `VALIDATION_ERROR` with `path: message; …`
 *
 * @example
 * const body = await readJson(c.req.raw, z.object({ title: z.string() }))
 * if (!body.ok) return failed(body.error)
 */
export declare function readJson<S extends z.ZodType>(request: Request, schema: S): Promise<Result<z.output<S>, Failure>>;
/** Thrown by the stream of a body that is longer than its route allows. */
export declare class BodyTooLarge extends Error {
    readonly failure: Failure;
    constructor(limit: number);
}
/** What does not fit, as `path: message; …`. */
export declare function problems(error: z.ZodError): string;
