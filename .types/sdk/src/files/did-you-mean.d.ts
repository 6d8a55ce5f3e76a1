/** The known word nearest to a mistyped one, or `undefined` where none is near. */
export declare function didYouMean(word: string, known: readonly string[]): string | undefined;
