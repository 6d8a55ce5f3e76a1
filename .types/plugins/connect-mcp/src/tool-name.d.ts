/** `server__tool` in the letters that models take; longer than 64 it is cut, and ends in a hash of the whole. */
export declare function toolName(server: string, tool: string): string;
/** The name for a tool whose own one is taken. */
export declare function otherName(server: string, tool: string): string;
