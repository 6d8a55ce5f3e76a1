/**
 * Ends child processes whose server died without a chance to do so itself (`SIGKILL`, out of memory): a shell that
 * waits at the other end of a pipe. Where there is no shell, children notice by themselves that their input ended, or not.
 */
export declare class Reaper {
    #private;
    /** @returns what to call when the group is gone */
    watch(group: number): () => void;
    close(): void;
}
