import { type JsonObject, type Result } from '@amodal/sdk';
import type { ReadDocument } from './read-document.ts';
/** Reads the fields of queries and mutations from GraphQL SDL. */
export declare function readSdl(text: string): Result<ReadDocument, string>;
/** The same from the answer to an introspection query, with or without `data` around it. */
export declare function readIntrospection(document: JsonObject): Result<ReadDocument, string>;
