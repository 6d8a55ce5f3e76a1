/** Where a server of one machine keeps the token that decisions need, within the agent folder. */
export declare const LOCAL_TOKEN_FILE = ".amodal/local-token";
/** The token of the server of a folder, for clients that may read it; `undefined` where there is none to read. */
export declare function readLocalToken(dir: string): string | undefined;
