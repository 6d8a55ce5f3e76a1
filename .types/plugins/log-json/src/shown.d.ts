/**
 * Facts as they may be shown: plain JSON, nothing under a secret's name, no secret's value, nothing endless.
 *
 * @param mask hides the values of secrets in a text
 */
export declare function shown(facts: Readonly<Record<string, unknown>>, mask: (text: string) => string): Readonly<Record<string, unknown>>;
