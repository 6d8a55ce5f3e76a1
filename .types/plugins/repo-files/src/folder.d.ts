import { type BundleFile } from '@amodal/sdk';
import { type Issues } from '@amodal/sdk/files';
import { type Walk } from './walk.ts';
/** Folders of the format. Whatever else stands in the root belongs to somebody else and is not read. */
export declare const FOLDERS: readonly ['skills', 'knowledge', 'stores', 'agents', 'connections', 'tools', 'automations', 'evals', 'pages', 'roles'];
/** Files that are kept and do nothing: it is better to know. */
export declare function warnOfLaterFolders(files: readonly BundleFile[], issues: Issues): void;
export interface FolderLimits {
    /** Bytes of one file. */
    readonly maxFileBytes: number;
    readonly maxFiles: number;
}
/**
 * Reads the text files below the folders of the format, side by side and in a stable order.
 * Nothing outside the root is read, whatever links say; what cannot be read is left out with an issue.
 */
export declare function readFolders(walk: Walk, also: readonly string[], limits: FolderLimits): Promise<readonly BundleFile[]>;
/** One file by its path; `undefined` where there is none that can be read. */
export declare function readOne(walk: Walk, path: string, limits: FolderLimits): Promise<BundleFile | undefined>;
