import { type BundleFile } from '@amodal/sdk';
import { Issues } from '@amodal/sdk/files';
/** Folders of the root that only the other layout has. They are read to be refused, unless a plugin owns one. */
export declare const OTHER_FOLDERS: readonly ['amodal', 'hooks', 'intents'];
interface Surroundings {
    readonly owned: readonly string[];
    readonly unread: readonly string[];
}
/**
 * What belongs to another layout of agent folders. An agent without its guards, policies or prompts is another agent than the
 * one that was written, so that it is refused and not loaded in part.
 *
 * @param about `owned`: folders that a plugin reads; `unread`: files and folders that are there and could not be read
 */
export declare function refuseOtherLayout(files: readonly BundleFile[], { owned, unread }: Surroundings, issues: Issues): void;
export {};
