/**
 * Whether a name fits a pattern in which `*` is any run of characters. Takes time proportional to both.
 *
 * @example matchesWildcard('github__*', 'github__create_issue') // true
 */
export declare function matchesWildcard(pattern: string, name: string): boolean;
