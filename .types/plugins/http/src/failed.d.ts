import { type Code, type Failure } from '@amodal/sdk';
/** The HTTP status of a failure's code. */
export declare const statusOf: (code: Code) => number;
/** What the log is told of a response whose reader is told only an id. */
export interface HiddenFailure {
    readonly id: string;
    readonly failure: Failure;
}
/**
 * Answers with a failure as `{error:{code,message}}` and the status of its code, or its own. A defect (500) says
 * nothing of itself but an id, under which the server logs the whole of it.
 *
 * @example
 * const found = await face.session(id)
 * if (!found.ok) return failed(found.error)
 */
export declare function failed(error: Failure, headers?: Readonly<Record<string, string>>): Response;
/** The failure that a response hides from its reader. */
export declare function hiddenFailure(response: Response): HiddenFailure | undefined;
/** The same for something thrown. */
export declare const crashed: (cause: unknown) => Response;
