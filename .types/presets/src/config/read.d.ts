import { type BundleIssue, type Failure, type Result } from '@amodal/sdk';
import { Wiring } from './wiring.ts';
/** Why a folder cannot be wired. `issues` are those of its wiring; a file that cannot be read or parsed has none here. */
export type WiringFailure = Failure & {
    readonly issues?: readonly BundleIssue[];
};
/** The wiring of a folder, and where it stands. */
export interface WiringFile {
    readonly wiring: Wiring;
    /** Absolute. */
    readonly file: string;
    /** An issue at a path of the file, such as `['plugins', 2]`. */
    readonly issue: (path: readonly PropertyKey[], about: Pick<BundleIssue, 'code' | 'message' | 'fix'>) => BundleIssue;
}
/**
 * Reads the part of the manifest that says how an agent folder is wired.
 *
 * @param dir folder of the agent, absolute or relative to the working directory
 * @returns the wiring; `NOT_FOUND`, `UNREADABLE` or `BAD_REPO`, naming file, line and field
 */
export declare function readWiring(dir: string): Promise<Result<WiringFile, WiringFailure>>;
