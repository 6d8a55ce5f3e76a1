/** Where an address leads, as a browser reads it: to the reader's own origin, to a host, to a program such as that for mail, or nobody knows. */
export type Destination = {
    readonly to: 'own';
} | {
    readonly to: 'program';
} | {
    readonly to: 'unknown';
} | {
    readonly to: 'host';
    readonly host: string;
};
/** @param address as it stands in Markdown or in an attribute; what is escaped before its query is not seen through */
export declare function destinationOf(address: string): Destination;
