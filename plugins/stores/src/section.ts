import type {
  AgentBundle,
  PromptSection,
  StoreDefinition,
  StoreField,
  ToolDefinition,
} from '@amodal/sdk'
import type { Documents } from './documents.ts'
import { batchName, toolName } from './shape.ts'

const QUERY = 'query_store'

/**
 * The section of the prompt about stores: their fields and tools, never their content.
 *
 * @param tools of the turn: a tool of another part may have the name of one of a store
 */
export function storeSection(
  bundle: AgentBundle,
  documents: Documents,
  tools: readonly ToolDefinition[],
): readonly PromptSection[] {
  const known = bundle.stores.filter((store) =>
    [QUERY, toolName(store), batchName(store)].some((tool) => documents.allows(tool, bundle)),
  )
  if (known.length === 0) return []
  const parts = known.map((store) => {
    const fields = Object.entries(store.entity.schema)
      .map(([name, field]) => `${name}: ${describe(field)}`)
      .join(', ')
    return {
      name: store.name,
      file: store.file,
      text: `- ${store.name} (${store.entity.name}, key ${store.entity.key}): ${fields}. ${toolsFor(store, bundle, documents, tools)}`,
    }
  })
  const removal =
    documents.allows('delete_from_store', bundle) &&
    known.some((store) => documents.isWritable(store))
      ? '\nRemove documents with delete_from_store.'
      : ''
  return [
    {
      id: 'stores',
      title: 'Stores',
      category: 'store',
      weight: 50,
      body: `${parts.map(({ text }) => text).join('\n')}${removal}`,
      parts: parts.map(({ name, file, text }) => ({ name, file, chars: text.length })),
    },
  ]
}

/** What somebody with the roles of a bundle may do, by the names of tools. */
function toolsFor(
  store: StoreDefinition,
  bundle: AgentBundle,
  documents: Documents,
  tools: readonly ToolDefinition[],
): string {
  const isOwn = (tool: string): boolean =>
    tools.some(({ name, file }) => name === tool && file === store.file)
  const writes = documents.isWritable(store)
    ? [toolName(store), batchName(store)].filter(
        (tool) => isOwn(tool) && documents.allows(tool, bundle),
      )
    : []
  const write = writes.length > 0 ? `write with ${writes.join(' or ')}.` : undefined
  if (!documents.allows(QUERY, bundle)) return `It cannot be read; ${write ?? ''}`
  return write === undefined
    ? `Read with ${QUERY}; it cannot be written.`
    : `Read with ${QUERY}, ${write}`
}

function describe(field: StoreField): string {
  const type = typeText(field)
  return field.nullable === true ? `${type}?` : type
}

function typeText({ type, values, store }: StoreField): string {
  if (type === 'enum') return values?.join('|') ?? 'enum'
  return type === 'ref' ? `key of ${store ?? 'another store'}` : type
}
