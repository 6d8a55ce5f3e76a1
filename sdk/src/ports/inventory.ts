import { registry, type JsonObject } from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'

/** A part of an agent that its model is not sent, such as an automation. */
export interface InventoryItem {
  readonly name: string
  /** For a terminal, in one line. */
  readonly about: string
  /** For programs, in addition to the name. Never a secret. */
  readonly facts: JsonObject
}

/** Things of one kind that a plugin makes of an agent's files and of its own configuration. */
export interface Inventory {
  readonly title: string
  /** @param roles of the caller; `undefined` for a caller who may see everything */
  items(bundle: AgentBundle, roles: readonly string[] | undefined): readonly InventoryItem[]
}

/** What `/inspect/context` and `amodal inspect` list, by the name of its field there. */
export const Inventories = registry<Inventory>('inventories')
