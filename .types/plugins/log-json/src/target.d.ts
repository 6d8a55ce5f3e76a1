/** Where lines go. */
export type Target = 'stderr' | 'stdout' | {
    readonly file: string;
} | {
    readonly write: (line: string) => void;
};
/** An open target. */
export interface Outlet {
    readonly colored: boolean;
    write(line: string): void;
    /** Everything written so far is out when it returns: a process that dies next has told why. */
    flush(): void;
    close(): Promise<void>;
}
/** Opens a target. Throws where a file cannot be written. */
export declare function openTarget(target: Target): Outlet;
