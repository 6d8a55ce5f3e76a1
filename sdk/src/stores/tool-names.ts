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
