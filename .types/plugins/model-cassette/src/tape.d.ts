import { type Failure, type JsonObject, type Result } from '@amodal/sdk';
import type { Asked } from './request.ts';
/** One part of a stream, or what was thrown in its place. */
export type Line = {
    readonly take: number; /** ms after the request */
    readonly at: number;
    readonly part: JsonObject;
} | {
    readonly take: number;
    readonly at: number;
    readonly thrown: JsonObject;
};
/** All that is kept of one request: each call that was made of it is a take. */
export interface Tape {
    readonly key: string;
    readonly asked: Asked;
    readonly takes: readonly (readonly Line[])[];
}
/** JSON lines: the request, then what came, a line each. */
export declare const written: ({ key, asked, takes }: Tape) => string;
export declare function read(text: string, file: string): Result<Tape, Failure>;
/** Whether they differ in times alone, which are others each time and worth no change of a file. */
export declare function isSame(a: readonly Line[] | undefined, b: readonly Line[]): a is readonly Line[];
/** Cut once it is clean: half of a secret is not found. */
export declare const shortened: (error: JsonObject) => JsonObject;
/** An error as far as it says what went wrong, and when to come again. */
export declare function errorJson(cause: unknown, depth?: number): JsonObject;
/** The same error again, as whoever looks into it finds it. */
export declare function errorFrom(json: JsonObject): unknown;
