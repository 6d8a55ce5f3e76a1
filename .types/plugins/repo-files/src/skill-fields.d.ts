import { type BundleFile, type JsonObject, type Skill } from '@amodal/sdk';
import { type Issues } from '@amodal/sdk/files';
export type SkillFields = Pick<Skill, 'license' | 'compatibility' | 'metadata' | 'allowedTools'>;
/**
 * The fields of a skill's frontmatter beside its name and what it is for. `undefined`, with an issue, where one is over its
 * limit: the skill is left out then.
 *
 * @param folder the skill's own; left out for a flat file
 */
export declare function readSkillFields(source: BundleFile, fields: JsonObject, folder: string | undefined, issues: Issues): SkillFields | undefined;
