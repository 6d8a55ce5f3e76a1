import type { AgentBundle, PromptSection, StoreDefinition, StoreField } from '@amodal/sdk'
import type { Documents } from './documents.ts'
import { toolName } from './shape.ts'

/** What the model is told of the stores: their fields and tools, never their content. */
export function storeSection(bundle: AgentBundle, documents: Documents): readonly PromptSection[] {
  if (bundle.stores.length === 0) return []
  const parts = bundle.stores.map((store) => {
    const fields = Object.entries(store.entity.schema).map(([name, field]) => `${name}: ${describe(field)}`).join(', ')
    return { name: store.name, file: store.file, text: `- ${store.name} (${store.entity.name}, key ${store.entity.key}): ${fields}. ${toolsFor(store, documents)}` }
  })
  const removal = bundle.stores.some((store) => documents.isWritable(store)) ? '\nRemove documents with delete_from_store.' : ''
  return [{
    id: 'stores', title: 'Stores', category: 'store', weight: 50, body: `${parts.map(({ text }) => text).join('\n')}${removal}`,
    parts: parts.map(({ name, file, text }) => ({ name, file, chars: text.length })),
  }]
}

function toolsFor(store: StoreDefinition, documents: Documents): string {
  return documents.isWritable(store) ? `Read with query_store, write with ${toolName(store)} or ${toolName(store)}_batch.` : 'Read with query_store; it cannot be written.'
}

function describe(field: StoreField): string {
  const type = field.type === 'enum' ? field.values?.join('|') ?? 'enum' : field.type === 'ref' ? `key of ${field.store ?? 'another store'}` : field.type
  return field.nullable === true ? `${type}?` : type
}
