import type { JsonObject } from '@amodal/sdk'
import type { Declaration, StateProperty } from './declaration.ts'
import { countOf, valuesOf } from './stored-state.ts'

/** The part of the state that some clients see. */
export interface View {
  readonly properties: readonly StateProperty[]
  /** The same for whoever sees the same properties. */
  readonly key: string
}

const seenBy = ({ visibility }: StateProperty, roles: readonly string[] | undefined): boolean => {
  if (typeof visibility === 'string') return visibility === 'public'
  return (roles ?? []).some((role) => visibility.roles.includes(role))
}

/** @param roles of whoever looks */
export function viewOf({ properties }: Declaration, roles: readonly string[] | undefined): View {
  const seen = properties.filter((property) => seenBy(property, roles))
  return { properties: seen, key: seen.map(({ name }) => name).join(',') }
}

/** What a client sees at one moment. */
export interface Seen {
  /**
   * Made of how often each property that is seen has changed: a hidden property moves no version,
   * and two who see the same have the same.
   */
  readonly version: string
  readonly state: JsonObject
}

export function seenIn(
  sessionState: JsonObject,
  { properties }: View,
  { digest }: Declaration,
): Seen {
  const changes = (scope: StateProperty['scope']): number =>
    properties
      .filter((property) => property.scope === scope)
      .reduce((sum, property) => sum + countOf(sessionState, property), 0)
  const own = `${digest}.${changes('session')}`
  return {
    version: properties.some(({ scope }) => scope === 'agent') ? `${own}.${changes('agent')}` : own,
    state: valuesOf(sessionState, properties),
  }
}
