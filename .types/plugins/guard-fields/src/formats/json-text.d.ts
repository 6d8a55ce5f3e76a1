import { type Json } from '@amodal/sdk';
import { type Place, type Understood } from './understood.ts';
export declare const parsed: (text: string) => {
    readonly value: Json;
} | undefined;
/** One value of JSON, also behind what keeps it from being a script, or as the argument of a call. */
export declare function readJson(text: string): Understood | undefined;
/** Values of JSON one after another, a line each or not. */
export declare function readJsonSequence(text: string): Understood | undefined;
/** Lines of server-sent events; what they carry has to be understood as well. */
export declare function readEvents(text: string, { read }: Place): Understood | undefined;
/** Where brackets and quotes that begin at a place are closed again. */
export declare function endOfJson(text: string, start: number): number | undefined;
