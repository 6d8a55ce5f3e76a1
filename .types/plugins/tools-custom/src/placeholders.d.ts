import { type Json, type JsonObject, type Result } from '@amodal/sdk';
import { type Path } from '@amodal/sdk/files';
/** Values for placeholders: parameters by name or path, then the moments. `undefined`: there is none. */
export type Fill = (name: string) => Json | undefined;
export declare function fillFrom(args: JsonObject, now: number): Fill;
/**
 * Fills the placeholders of a path. Each value becomes one encoded part: it can neither add a segment nor a
 * parameter, nor step out of the path.
 *
 * @returns an error text where a value is missing, empty, or no text, number or boolean
 */
export declare function fillPath(template: string, fill: Fill): Result<string, string>;
/**
 * Fills the placeholders of a JSON value. One that is a whole text keeps the type of its value, and what has no value
 * is left out; inside of a text it is written as text.
 */
export declare function fillValue(template: Json, fill: Fill): Json | undefined;
/** Fills the placeholders of a text; what has no value is empty. */
export declare function fillText(template: string, fill: Fill): string;
/** Placeholders below a path that neither a parameter nor a moment fills, with the parameter that was probably meant. */
export declare function closest(value: JsonObject, at: Path, parameters: JsonObject): readonly {
    readonly name: string;
    readonly path: Path;
    readonly meant: string | undefined;
}[];
