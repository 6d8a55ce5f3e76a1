import { type BundleIssue, type Entry, type Failure, type Plugin, type Result, type Slot } from '@amodal/sdk';
import type { Preset } from '../define-preset.ts';
import type { WiringFile } from './read.ts';
import type { Wiring } from './wiring.ts';
/** The preset of that name. */
export declare function loadPreset(name: string): Promise<Result<Preset, Failure>>;
/** Turns `plugins` of amodal.json into entries, in its order; or names every item that is no plugin. */
export declare function entriesOf({ wiring, file, issue }: WiringFile): Promise<Result<readonly Entry[], readonly BundleIssue[]>>;
/** What a list comes to: its plugins by the names they have in it. Later entries win. */
export declare function pluginsIn(entries: readonly Entry[]): ReadonlyMap<string, Plugin>;
/** Whether one of these plugins provides a slot. */
export declare const fills: (listed: ReadonlyMap<string, Plugin>, slot: Slot<unknown>) => boolean;
/** Plugins of a list by these names, and all that fill a slot which one of them uses. */
export declare function neededBy(listed: ReadonlyMap<string, Plugin>, names: readonly string[]): ReadonlySet<string>;
/** What the `stores` block means for the plugins of a preset: which database, and where it lives. */
export declare function databaseEntries(preset: Preset, { backend, dataDir, ...stores }: Wiring['stores'], configFile: string): Promise<Result<readonly Entry[], Failure>>;
export declare const DATABASES: readonly ['db-pglite', 'db-postgres'];
