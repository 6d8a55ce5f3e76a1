import type { Widget } from '@amodal/sdk';
/** The widgets every client of this format draws. A plugin adds its own to the `Widgets` registry. */
export declare const WIDGETS: readonly Widget[];
