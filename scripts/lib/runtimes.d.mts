/** Path of a Node of this major version; `undefined` where there is none for this system. */
export declare function nodeOf(root: string, major: 22 | 24): Promise<string | undefined>
/** Path of a Bun; `undefined` where there is none for this system. */
export declare function bunOf(root: string): Promise<string | undefined>
