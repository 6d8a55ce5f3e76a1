/**
 * Splits a server-sent event stream into the data of its events, however the bytes were cut.
 * Everything but `data` is of no use here: comments, names, ids and retry times are dropped.
 *
 * Source: WHATWG HTML, "Server-sent events": lines end in LF, CRLF or CR.
 *
 * @example
 * const events = new EventStream()
 * events.push('data: {"a":') // []
 * events.push('1}\n\n')      // ['{"a":1}']
 */
export declare class EventStream {
    #private;
    /** @returns the data of the events that `received` completes. Throws a RangeError on an event past 16 M characters. */
    push(received: string): readonly string[];
    /** @returns what a stream without a last empty line still holds. */
    end(): readonly string[];
}
