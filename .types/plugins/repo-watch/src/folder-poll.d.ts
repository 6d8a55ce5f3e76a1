/** Looks at the folder again and again, for file systems that tell nobody of changes. */
export declare class FolderPoll {
    #private;
    constructor(root: string, places: readonly string[], everyMs: number, changed: () => void);
    look(): Promise<void>;
    close(): void;
}
