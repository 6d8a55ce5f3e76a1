/** What the install has compiled of the workspace: `presets/scripts/compile.ts` writes it. All paths are from the root. */
export interface Compiled {
    /** The doors of the packages: as what one is imported, and the file that was compiled from its source. */
    readonly doors: readonly {
        readonly name?: string;
        readonly source: string;
        readonly compiled: string;
    }[];
    /** What the compiled files of a folder import from outside of the workspace, and the file that Node finds for it; how it is to be read, where the package says that. */
    readonly imports: readonly {
        readonly folder: string;
        readonly name: string;
        readonly file: string;
        readonly format?: string;
    }[];
    /** Every file that this rests on, as it stood: path, milliseconds of its last change, bytes. */
    readonly files: readonly (readonly [path: string, changed: number, size: number])[];
}
/** Where it is written down, from the root. */
export declare const COMPILED = "node_modules/.cache/amodal/compiled.json";
/**
 * What was compiled, as long as nothing has changed since: whoever edits a source, or takes in a newer one, runs the sources.
 *
 * @param root path of the workspace
 * @returns nothing where there is none, or it is no longer what the sources say
 */
export declare function readCompiled(root: string): Compiled | undefined;
