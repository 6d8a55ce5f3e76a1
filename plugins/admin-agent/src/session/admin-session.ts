import { isObject, type JsonObject } from '@amodal/sdk'

/** Under what a session says that it is one of the admin agent. */
export const KEY = 'admin-agent'

/** What a session of the admin agent has in its state; no client can set it. */
export const adminState = (): JsonObject => ({ [KEY]: { active: true } })

/** Whether a run belongs to the admin agent. */
export const isAdmin = ({ sessionState }: { readonly sessionState: JsonObject }): boolean => {
  const state = sessionState[KEY]
  return isObject(state) && state['active'] === true
}
