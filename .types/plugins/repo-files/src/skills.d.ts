import type { BundleFile, Skill } from '@amodal/sdk';
import type { Issues } from '@amodal/sdk/files';
export declare function isSkill(path: string): boolean;
/** Reads the skills; one that cannot be read is left out. */
export declare function readSkills(files: readonly BundleFile[], issues: Issues): readonly Skill[];
