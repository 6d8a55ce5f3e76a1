import type { AgentBundle, BundleFile, Skill } from '@amodal/sdk';
/** Files beside a skill's own, by their paths below its folder. Only a skill with a folder has some. */
export declare function filesOf({ skills, files, whole }: AgentBundle, skill: Skill): ReadonlyMap<string, BundleFile>;
