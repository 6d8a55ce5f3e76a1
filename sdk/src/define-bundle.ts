import { hashOf, type Json } from '@amodal/kernel'
import type {
  AgentBundle,
  KnowledgeDocument,
  Manifest,
  Skill,
  StoreDefinition,
} from './ports/bundle.ts'

/** An agent's files as values. */
export interface BundleParts extends Partial<Omit<Manifest, 'raw'>> {
  readonly name: string
  /** What `agents/main/AGENT.md` would say. */
  readonly instructions?: string
  readonly skills?: readonly (Omit<Skill, 'file' | 'trigger'> & { readonly trigger?: string })[]
  readonly knowledge?: readonly Omit<KnowledgeDocument, 'file'>[]
  readonly stores?: readonly Omit<StoreDefinition, 'file' | 'raw'>[]
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
export function defineBundle({
  name,
  version = '0.0.0',
  models = {},
  limits = {},
  instructions,
  skills = [],
  knowledge = [],
  stores = [],
  ...manifest
}: BundleParts): AgentBundle {
  const parts = {
    manifest: { ...manifest, name, version, models, limits, raw: {} },
    instructions:
      instructions === undefined
        ? undefined
        : { name: 'main', body: instructions, file: 'agents/main/AGENT.md', fields: {} },
    skills: skills.map((skill) => ({ trigger: '', ...skill, file: `skills/${skill.name}.md` })),
    knowledge: knowledge.map((document) => ({
      ...document,
      file: `knowledge/${document.name}.md`,
    })),
    stores: stores.map((store) => ({ ...store, raw: {}, file: `stores/${store.name}.json` })),
  }
  const plain = JSON.parse(JSON.stringify(parts)) as Json // what was just written as JSON
  return Object.freeze({
    ...parts,
    hash: hashOf(plain),
    root: undefined,
    files: [],
    references: [],
    issues: [],
    parts: {},
  })
}
