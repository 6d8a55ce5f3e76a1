import { type Result } from '@amodal/sdk';
/** The bytes that base64 stands for; line breaks, the letters of URLs and a `data:` address are understood. */
export declare function bytesOf(text: string): Result<Uint8Array, string>;
/** What a `data:` address says that it is. */
export declare const typeOfDataUrl: (text: string) => string | undefined;
