/** Cuts what arrives into lines and hands on each that says something. */
export declare function linesOf(said: (line: string) => void): (chunk: Buffer) => void;
