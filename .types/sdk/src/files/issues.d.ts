import type { Code } from '@amodal/kernel';
import type { BundleIssue } from '../ports/bundle.ts';
/** Where a problem is, and what to do about it. */
export interface Place {
    readonly file?: string; /** From 1. */
    readonly line?: number;
    readonly fix?: string;
}
/** The problems found while loading, gathered from readers that run side by side. */
export declare class Issues {
    #private;
    /** @param found before */
    constructor(found?: readonly BundleIssue[]);
    /** Something is left out, or the folder cannot be loaded. */
    error(code: Code, message: string, place: Place): void;
    /** Everything loads, and someone should look. */
    warn(code: Code, message: string, place: Place): void;
    get errors(): number;
    /** Whether there is something to say of a file. */
    about(file: string): boolean;
    /** By file, then line, then in the order they were found: the same folder gives the same list. */
    sorted(): readonly BundleIssue[];
}
/** Order by code unit, which no locale changes. */
export declare function compare(a: string, b: string): number;
/** `amodal.json:12  message — fix`, with as much of it as is known. */
export declare function issueLine({ file, line, message, fix }: BundleIssue): string;
/** Those that leave something out. */
export declare const errorsIn: (issues: readonly BundleIssue[]) => readonly BundleIssue[];
/** The first of them in a line, and how many there are besides; `otherwise` where there is none. */
export declare function issuesTold([first, ...more]: readonly BundleIssue[], otherwise: string): string;
