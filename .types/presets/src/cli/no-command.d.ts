/**
 * Explains that a command does not exist, and which one was probably meant.
 *
 * @param words of the command line that are no options
 * @param known names of commands; a name may have two words, such as `ops audit`
 */
export declare function noCommand(words: readonly string[], known: readonly string[]): string;
