import { type Json, type JsonObject } from '@amodal/sdk';
/** Finds what `#/components/schemas/Deal` means. */
export type Resolve = (value: Json | undefined) => JsonObject | undefined;
/** A JSON Schema in a few words, as a model reads it: `{ name: string, amount?: number, stage?: "open" | "won" }`. */
export declare function schemaText(schema: Json | undefined, resolve: Resolve): string;
