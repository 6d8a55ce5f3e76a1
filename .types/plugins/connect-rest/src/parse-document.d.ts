import { type Result } from '@amodal/sdk';
import { type ReadDocument } from './documents/read-document.ts';
/** Reads an API document; a long one in a thread of its own, with bounds of time and memory. */
export declare function parseDocument(text: string): Promise<Result<ReadDocument, string>>;
