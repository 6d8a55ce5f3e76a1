import type { AgentBundle, KnowledgeDocument, Manifest, Skill, StoreDefinition } from './ports/bundle.ts';
/** An agent's files as values. */
export interface BundleParts extends Partial<Omit<Manifest, 'raw'>> {
    readonly name: string;
    /** What `agents/main/AGENT.md` would say. */
    readonly instructions?: string;
    readonly skills?: readonly (Omit<Skill, 'file' | 'trigger'> & {
        readonly trigger?: string;
    })[];
    readonly knowledge?: readonly Omit<KnowledgeDocument, 'file'>[];
    readonly stores?: readonly Omit<StoreDefinition, 'file' | 'raw'>[];
}
/**
 * Makes the bundle of an agent that has no folder. Equal parts make equal bundles.
 *
 * @example
 * const bundle = defineBundle({
 *   name: 'front-desk', userContext: 'You answer at the front desk.',
 *   knowledge: [{ name: 'hours', title: 'Office hours', body: 'From nine to five.' }],
 * })
 */
export declare function defineBundle({ name, version, models, limits, instructions, skills, knowledge, stores, ...manifest }: BundleParts): AgentBundle;
