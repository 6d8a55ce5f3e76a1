import type { Json, Skill } from '@amodal/sdk';
/** A skill by its name, as models write it: `incident-response` for `Incident Response`. */
export declare function named(skills: readonly Skill[], name: Json | undefined): Skill | undefined;
