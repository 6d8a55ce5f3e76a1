import { type AgentBundle, type BundleFile, type BundleIssue, type Failure, type Result, type Secrets } from '@amodal/sdk';
import { type FolderLimits } from './folder.ts';
export interface LoadOptions extends Partial<FolderLimits> {
    readonly secrets: Secrets;
    /** Folders to read beside those of the format, for a plugin that owns one. */
    readonly folders?: readonly string[];
    readonly signal?: AbortSignal;
}
/** Where a manifest stands; the first that is there counts. */
export declare const MANIFESTS: readonly ["amodal.json", ".amodal/config.json"];
/** Files of the root that are read. */
export declare const ROOT_FILES: readonly string[];
/** A folder as it was read. */
export interface FolderTexts {
    /** A real path. */
    readonly root: string;
    readonly files: readonly BundleFile[];
    /** What could not be read. */
    readonly issues: readonly BundleIssue[];
    /** Folders that a plugin owns. */
    readonly owned: readonly string[];
}
export type LoadFailure = Failure & {
    readonly issues: readonly BundleIssue[];
};
/**
 * Loads an agent folder: `amodal.json`, `skills/`, `knowledge/`, `stores/`, `agents/main`, and the text of
 * the bootstrap files (`AGENTS.md` and the like) and of whatever stands in the other folders of the format.
 *
 * A file that cannot be used is left out and named in `issues`, with its line and what to do; the rest loads.
 * Only the manifest is needed: if it is missing or wrong, or names a variable that is not set, the load fails
 * with every issue of the whole folder. It fails, too, where a part belongs to a layout that is not supported.
 *
 * @param dir the agent folder
 * @param options `secrets` answers for `env:NAME`, and is told of the folder's `.env` first; a file may have
 *   `maxFileBytes` (1 MiB), the folder `maxFiles` (2,000)
 * @returns the bundle, frozen; or `NOT_FOUND`, `UNREADABLE`, `ENV_NOT_SET`, `BAD_REPO`, `TIMEOUT` with `issues`
 *
 * @example
 * const loaded = await loadBundle('./my-agent', { secrets })
 * if (loaded.ok) console.log(loaded.value.manifest.name, loaded.value.skills.length)
 */
export declare function loadBundle(dir: string, options: LoadOptions): Promise<Result<AgentBundle, LoadFailure>>;
/** Why a load came to no end. */
export declare function brokenOff(dir: string, signal: AbortSignal, cause: unknown): LoadFailure;
/** Reads every file there is, and judges none of them. */
export declare function readTexts(dir: string, options: Omit<LoadOptions, 'secrets' | 'signal'>, signal: AbortSignal): Promise<Result<FolderTexts, LoadFailure>>;
/** Makes a bundle of the files of a folder, which need not be those that stand there now. */
export declare function parseTexts({ root, files: all, issues: found, owned }: FolderTexts, dir: string, secrets: Secrets): Result<AgentBundle, LoadFailure>;
/** Of a `.env` that is gone, the variables are gone, too. */
export declare function loadEnvironment({ root, files }: Pick<FolderTexts, 'root' | 'files'>, secrets: Secrets): void;
