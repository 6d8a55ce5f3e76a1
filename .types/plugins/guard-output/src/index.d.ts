/**
 * Looks at every text that leaves, in four stages: values that may be used and not be seen, numbers of persons and banks,
 * withheld values in whatever disguise, and claims about more than can be seen.
 */
export declare const guardOutput: import("@amodal/sdk").Plugin;
export { filterLinks, LinkFilter } from './loading/link-filter.ts';
export { OutputStream } from './output-stream.ts';
export { KnownValues } from './leaks.ts';
export { Review } from './review.ts';
export { scan } from './scan.ts';
export { settings } from './settings.ts';
export default guardOutput;
