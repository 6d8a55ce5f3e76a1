import { type AgentBundle, type HeldEdits, type Result } from '@amodal/sdk';
import type { FolderTexts, LoadFailure } from './load.ts';
/** Tries files in place of those in use. */
export type Judge = (texts: FolderTexts, held: HeldEdits | undefined) => Promise<Result<AgentBundle, LoadFailure>>;
/**
 * The files in use, and the edits that are not. An edit is what changed between two reads. One that breaks something is held
 * back as a whole, until one of its files is changed again; what else is edited meanwhile is taken.
 */
export declare class Edits {
    #private;
    get inUse(): FolderTexts | undefined;
    /** What was made of the files in use. */
    get bundle(): AgentBundle | undefined;
    /**
     * Takes what it can of a folder. A failure says what is wrong with the newest edit, and with those held back before.
     *
     * @param isFirst whoever asks has no files yet, and is given those in use where the newest edit is broken
     */
    take(now: FolderTexts, judge: Judge, isFirst: boolean): Promise<Result<AgentBundle, LoadFailure>>;
}
