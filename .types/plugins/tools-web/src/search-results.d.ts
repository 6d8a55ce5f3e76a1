import type { SearchSettings } from './settings.ts';
/** One result, in plain text. */
export interface Found {
    readonly title: string;
    readonly url: string;
    readonly text: string;
}
/** What a search gave: pages, and what a provider that answers itself says. */
export interface Searched {
    readonly found: readonly Found[];
    readonly answer: string;
}
/** What a provider found; `undefined` where it says something else. */
export declare function resultsIn(provider: SearchSettings['provider'], body: string): Searched | undefined;
