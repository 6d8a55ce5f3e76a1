import { type BundleSource, type Secrets } from '@amodal/sdk';
import type { Edits } from './edits.ts';
import { type LoadOptions } from './load.ts';
/** The folder as a source that keeps broken edits apart from the others. */
export declare function folderSource(dir: string, options: Omit<LoadOptions, 'signal'> & {
    readonly secrets: Secrets;
}, edits: Edits): BundleSource;
