/**
 * The tools that write into a store: one document, and several. Tool names use `_`, store names
 * `-`.
 *
 * @example
 * storeTools('active-alerts') // { one: 'store_active_alerts', batch: 'store_active_alerts_batch' }
 */
export function storeTools(store: string): { readonly one: string; readonly batch: string } {
  const one = `store_${store.replaceAll('-', '_')}`
  return { one, batch: `${one}_batch` }
}

/** What an agent does with a store that it was granted. */
export const STORE_VERBS = ['get', 'query', 'list', 'set', 'remove'] as const
export type StoreVerb = (typeof STORE_VERBS)[number]

/**
 * The name of a tool for a store that an agent was granted by its `agent.json`.
 *
 * @example
 * grantedStoreTool('active-alerts', 'get') // 'store__active_alerts__get'
 */
export const grantedStoreTool = (store: string, verb: StoreVerb): string =>
  `store__${store.replaceAll('-', '_')}__${verb}`
