import type { JsonObject, StoreDefinition, StoreField } from '@amodal/sdk'

/** What a store is to one caller, beside its definition. */
export interface StoreState {
  readonly documentCount: number
  /** Whether the caller may write documents. */
  readonly isWritable: boolean
  /** Whether the caller may delete documents. */
  readonly isDeletable: boolean
  /** How many dead letters there are; `undefined` where none are stored, or not for the caller. */
  readonly deadLetters: number | undefined
}

/** A store as `GET /api/stores` lists it. */
export function storeInfo(store: StoreDefinition, state: StoreState): JsonObject {
  const { name, description, entity, ttl, history, shared, trace = false } = store
  return {
    name,
    ...(description !== undefined && { description }),
    entity: entity.name,
    key: entity.key,
    schema: fieldInfos(entity.schema),
    ttl: ttl ?? null,
    trace,
    history: history?.versions ?? 0,
    ...(shared === true && { shared }),
    access: { write: state.isWritable, delete: state.isDeletable },
    documentCount: state.documentCount,
    deadLetterCount: state.deadLetters ?? null,
  }
}

const fieldInfos = (fields: Readonly<Record<string, StoreField>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldInfo(field)]))

function fieldInfo({ item, fields, values, ...rest }: StoreField): JsonObject {
  const { type, nullable, description, min, max, store } = rest
  return {
    type,
    ...(nullable === true && { nullable }),
    ...(description !== undefined && { description }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(values && { values: [...values] }),
    ...(item && { item: fieldInfo(item) }),
    ...(fields && { fields: fieldInfos(fields) }),
    ...(store !== undefined && { store }),
  }
}
