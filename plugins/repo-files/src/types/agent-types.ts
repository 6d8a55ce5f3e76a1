import { truncate, type AgentBundle, type StoreDefinition, type ToolList } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { fieldsType, propertyName, schemaType } from './type-text.ts'

/** The types of an agent as the text of a declaration file; equal agents give equal texts. */
export function typesOf(bundle: AgentBundle, tools: ToolList): string {
  const stores = named(bundle.stores)
  return [
    `// Types of ${JSON.stringify(bundle.manifest.name)}, made by \`amodal build-manifest-types\`: what is changed here is lost.`,
    ...stores.map(
      ({ store, type }) =>
        `${comment(store.description ?? `A document of the store ${store.name}.`)}export interface ${type} ${fieldsType(store.entity.schema)}`,
    ),
    `/** What each store holds. */\nexport interface Stores ${members(stores.map(({ store, type }) => [store.name, type, undefined]))}`,
    `/** The arguments of each tool. */\nexport interface ToolArguments ${members(sorted(tools.tools).map(({ name, description, parameters }) => [name, schemaType(parameters, 1), description]))}`,
    'export type StoreName = keyof Stores',
    'export type ToolName = keyof ToolArguments',
    `export type SkillName = ${union(bundle.skills)}`,
    `export type DocumentName = ${union(bundle.knowledge)}`,
    `export type ConnectionName = ${union(connectionsOf(bundle))}`,
  ]
    .join('\n\n')
    .concat('\n')
}

const sorted = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
  [...list].sort((a, b) => (a.name < b.name ? -1 : 1))
const union = (list: readonly { readonly name: string }[]): string =>
  sorted(list)
    .map(({ name }) => JSON.stringify(name))
    .join(' | ') || 'never'

/** Characters of a comment. */
const LINE = 160

/** Names that the file has for itself. */
const TAKEN = [
  'Stores',
  'ToolArguments',
  'StoreName',
  'ToolName',
  'SkillName',
  'DocumentName',
  'ConnectionName',
]

/** Each store with the name of its type: that of its entity, with a number where it is taken. */
function named(
  stores: readonly StoreDefinition[],
): readonly { readonly store: StoreDefinition; readonly type: string }[] {
  const taken = new Set(TAKEN)
  return sorted(stores).map((store) => {
    const plain = typeName(store.entity.name)
    let type = plain
    for (let n = 2; taken.has(type); n++) type = `${plain}${n}`
    taken.add(type)
    return { store, type }
  })
}

function typeName(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^\p{L}/u.test(name) ? name : `Store${name}`
}

function members(
  list: readonly (readonly [name: string, type: string, about: string | undefined])[],
): string {
  if (list.length === 0) return '{}'
  return `{\n${list.map(([name, type, about]) => `${about === undefined ? '' : comment(about, '  ')}  readonly ${propertyName(name)}: ${type}`).join('\n')}\n}`
}

/** The first sentence, on one line. */
function comment(text: string, indent = ''): string {
  const line = truncate(
    (text.split(/\n\s*\n|(?<=[.!?])\s/, 1)[0] ?? '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll('*/', '* /')
      .trim(),
    LINE,
  )
  return line === '' ? '' : `${indent}/** ${line} */\n`
}
