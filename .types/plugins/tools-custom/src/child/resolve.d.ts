/**
 * What the handler imports: our own module under the names that handlers know; TypeScript also without its extension;
 * and code of its own roots only, since what lies elsewhere is not part of what was approved.
 */
export declare function ownImports(roots: readonly string[]): void;
