import { type BundleFile } from '@amodal/sdk';
import { type Sources } from './digest.ts';
/**
 * Code as it was loaded, for tools whose files are other ones by now: somebody is in the middle of an edit, or the edit is
 * broken. It is written anew from the texts of the bundle, and taken only where it is the same to the byte.
 */
export declare class KeptCode {
    #private;
    /** A folder to run it from in place of the agent's; `undefined` where its texts are not all that it was made of. */
    folder(digest: string, sources: Sources, files: readonly BundleFile[]): Promise<string | undefined>;
    /** Removes what no tool in use is made of. */
    keep(digests: ReadonlySet<string>): Promise<void>;
    close(): Promise<void>;
}
