import type { AgentBundle, ApiDocument } from '@amodal/sdk'

export const WHOLE = 'api-documents.whole'

/** Documents before filtering: only they contain the tags of every operation. */
export function wholeDocumentsOf(bundle: AgentBundle): Readonly<Record<string, ApiDocument>> {
  // made where documents are loaded, and frozen since
  return (bundle.parts[WHOLE] ?? {}) as unknown as Readonly<Record<string, ApiDocument>>
}
