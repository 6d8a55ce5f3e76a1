import { type Entry } from '@amodal/kernel';
import { type MustTap } from '../hooks/catalog.ts';
/** What the contract asks of a preset; `definePreset` of `@amodal/presets` makes such. */
export interface PresetUnderTest {
    readonly name: string;
    readonly entries: readonly Entry[];
    readonly pinned: readonly string[];
    readonly mustTap: MustTap;
}
/** Where a preset runs in a test. */
export interface PresetPlace {
    /** Told to the preset: its folder, its database, a free port. */
    readonly entries: readonly Entry[];
    remove(): Promise<void>;
}
export interface PresetContractOptions {
    /** Makes a place with these files of an agent, by their paths. The same place serves several starts, one after the other. */
    readonly place: (files: Readonly<Record<string, string>>) => Promise<PresetPlace>;
    /** Sessions and documents are there again after a restart. */
    readonly keeps: boolean;
    /** More than 2,000 ms until all that was opened is closed. */
    readonly settleMs?: number;
}
/**
 * What every preset must do, as a block of tests: a plan without problems, a life that leaves nothing behind, its
 * guards in their places, and an agent that behaves alike in this process and over HTTP.
 *
 * @example
 * presetContract(mine, {
 *   keeps: false,
 *   async place(files) {
 *     const dir = await folderOf(files)
 *     return { entries: [use(repoFiles, { dir })], remove: () => rm(dir, { recursive: true }) }
 *   },
 * })
 */
export declare function presetContract(preset: PresetUnderTest, options: PresetContractOptions): void;
