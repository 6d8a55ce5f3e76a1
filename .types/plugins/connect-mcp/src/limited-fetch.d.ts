import type { FetchLike } from '@modelcontextprotocol/client';
import { TooLargeError } from './too-large-error.ts';
/**
 * A `fetch` whose answers hold at most `maxBytes`: the whole of one, or each event of a stream, which may go on for ever.
 *
 * @param tooLarge told of an answer that was cut off, since a library may take the end of a stream for something else
 */
export declare function limitedFetch(inner: FetchLike, maxBytes: number, tooLarge: (error: TooLargeError) => void): FetchLike;
