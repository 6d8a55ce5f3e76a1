import { type Json, type JsonObject } from '@amodal/kernel';
import type { BundleFile } from '../ports/bundle.ts';
import type { Issues } from './issues.ts';
export type Path = readonly (string | number)[];
/** A JSON file that knows the line of each of its values. Comments and trailing commas are welcome. */
export interface JsonFile<T extends Json = Json> {
    readonly file: string;
    readonly value: T;
    /** Line (from 1) of the value at a path; of the nearest one around it where there is none. */
    lineOf(path: Path): number;
    /** Where parts of it stand in another file: the file of the value at a path. */
    fileOf?(path: Path): string;
}
/** Where the value at a path stands. */
export declare const placeOf: (json: JsonFile, path: Path) => {
    readonly file: string;
    readonly line: number;
};
/** Reads a JSON file; what is wrong with it becomes an issue with its line. */
export declare function readJson({ path: file, text }: BundleFile, issues: Issues): JsonFile | undefined;
/** The same, for files that must hold an object. */
export declare function readJsonObject(source: BundleFile, issues: Issues): JsonFile<JsonObject> | undefined;
/** The value at a path, or `undefined`. */
export declare function valueAt(value: Json | undefined, path: Path): Json | undefined;
/** `models.main.fallback`, `seed[3].severity`. */
export declare function pathText(path: Path): string;
/** Line (from 1) of a place in a text. */
export declare function lineAt(text: string, offset: number): number;
