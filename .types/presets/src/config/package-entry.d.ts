/**
 * The file that `import name` would load, were it written in `from`. Patterns in `exports` are not followed.
 *
 * @returns `undefined` where no such package is installed for `from`; throws where it is, and does not offer this
 * @see https://nodejs.org/api/packages.html#package-entry-points
 */
export declare function packageEntry(name: string, from: string): string | undefined;
