import { type Failure, type Result } from '@amodal/sdk';
/** What the encoded body of a request is decoded with; `undefined`: it is not encoded. */
export declare function decoderOf(headers: Headers): Result<TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> | undefined, Failure>;
