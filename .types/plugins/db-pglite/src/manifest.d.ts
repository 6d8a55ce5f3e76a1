import { z } from 'zod';
/** The files of a database as they stood at some time. */
declare const Manifest: z.ZodReadonly<z.ZodObject<{
    v: z.ZodLiteral<1>;
    clean: z.ZodBoolean;
    control: z.ZodString;
    files: z.ZodReadonly<z.ZodRecord<z.ZodString, z.ZodReadonly<z.ZodTuple<[z.ZodNumber, z.ZodNumber], null>>>>;
}, z.core.$strip>>;
export type Manifest = z.output<typeof Manifest>;
/** What has become of the files: `damage` in words; `suspects` may also have been dropped by the database itself. */
export interface Comparison {
    readonly damage: readonly string[];
    readonly suspects: readonly string[];
}
/** Where the latest checkpoint begins: after a recovery that is where the log ended, and after a clean stop as well. */
export declare function redoPosition(folder: string): bigint | undefined;
/** Reads the first page of every file that holds data: 5 ms for a small database. */
export declare function manifestOf(folder: string, clean: boolean): Manifest;
/** Compares the files with those of a manifest, before anything opens them. */
export declare function compare(folder: string, manifest: Manifest): Comparison;
export declare function readManifest(folder: string): Manifest | undefined;
export declare function writeManifest(folder: string, manifest: Manifest): void;
/** A reader, and a start after a kill, find the old text or the new one. */
export declare function replaceFile(file: string, text: string): void;
/**
 * The same for one short line that changes twenty times a second, at a hundredth of the cost: it is written over the old
 * one, in the same block of the disk. A line is always as long as this, so nothing of the old one is left behind it.
 */
export declare function replaceLine(file: string, line: string): void;
export {};
