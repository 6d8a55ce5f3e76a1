import { type Failure, type Result } from '@amodal/sdk';
/** What a handler's code stands in: its folder or file, and what all handlers share (`tools/_…`). */
export interface Sources {
    readonly root: string;
    readonly paths: readonly string[];
}
/**
 * SHA-256 over paths and bytes of everything a handler's code stands in.
 *
 * @returns why it cannot be told: links could lead to what is not hashed, so there may be none, and no file that has a second name or is mounted
 */
export declare function digestOf({ root, paths }: Sources): Promise<Result<string, Failure>>;
