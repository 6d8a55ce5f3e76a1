/**
 * Reads a date and time as stores keep them. What has no offset is UTC. Every text that is one can be compared by any
 * database, so days that no calendar has and offsets that no place has are none.
 *
 * @returns ms since the epoch, `undefined` where the text is no date and time
 * @example
 * momentOf('2026-03-26T09:14:00+01:00') // 1774512840000
 * momentOf('2026-02-30') // undefined
 * @see ISO 8601-1:2019, RFC 3339
 */
export declare function momentOf(text: string): number | undefined;
