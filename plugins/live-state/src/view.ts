import type { JsonObject } from '@amodal/sdk'
import type { Declaration, StateField } from './declaration.ts'
import { countOf, valuesOf } from './kept.ts'

/** The part of the state that some clients see. */
export interface View {
  readonly fields: readonly StateField[]
  /** The same for whoever sees the same fields. */
  readonly key: string
}

const seenBy = ({ visible }: StateField, roles: readonly string[] | undefined): boolean => {
  if (visible === 'public') return true
  return visible !== 'private' && (roles ?? []).some((role) => visible.includes(role))
}

/** @param roles of whoever looks */
export function viewOf({ fields }: Declaration, roles: readonly string[] | undefined): View {
  const seen = fields.filter((field) => seenBy(field, roles))
  return { fields: seen, key: seen.map(({ name }) => name).join(',') }
}

/** What a client sees at one moment. */
export interface Seen {
  /**
   * Made of how often each field that is seen has changed: a field that is hidden moves no version,
   * and two who see the same have the same.
   */
  readonly version: string
  readonly state: JsonObject
}

export function seenIn(sessionState: JsonObject, { fields }: View, { digest }: Declaration): Seen {
  const changes = (scope: StateField['scope']): number =>
    fields
      .filter((field) => field.scope === scope)
      .reduce((sum, field) => sum + countOf(sessionState, field), 0)
  const own = `${digest}.${changes('session')}`
  return {
    version: fields.some(({ scope }) => scope === 'agent') ? `${own}.${changes('agent')}` : own,
    state: valuesOf(sessionState, fields),
  }
}
