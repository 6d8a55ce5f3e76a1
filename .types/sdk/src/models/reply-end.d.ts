/**
 * What an event of a stream says of the end of the reply: `last`: nothing of it follows; `finished`: only counts and end
 * marks may follow.
 */
export type EndOf = (data: string) => 'last' | 'finished' | undefined;
/**
 * The answer of an endpoint up to the end of the reply in it, whether or not the endpoint closes its connection then.
 * Other bytes behind the end are dropped. Only the data of events is kept, one line feed behind each line.
 */
export declare function upToTheEnd(response: Response, endOf: EndOf): Response;
/** The `type` of an event whose data is a JSON object. */
export declare function eventType(data: string): string | undefined;
/** The fields of a JSON object; none where the text is something else. */
export declare function jsonFields(data: string): Readonly<Record<string, unknown>>;
