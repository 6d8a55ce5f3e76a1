import type { AgentBundle, ApiDocument } from '@amodal/sdk'

export const WHOLE = 'api-documents.whole'

/** Documents before their filters, where only they can say which tags an operation has. */
export function wholeDocumentsOf(bundle: AgentBundle): Readonly<Record<string, ApiDocument>> {
  // made where documents are loaded, and frozen since
  return (bundle.parts[WHOLE] ?? {}) as unknown as Readonly<Record<string, ApiDocument>>
}
