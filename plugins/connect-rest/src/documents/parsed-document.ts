import type { ApiDocument } from '@amodal/sdk'

/** An API document as it was read, wherever it is from. */
export type ParsedDocument = Omit<ApiDocument, 'from'>
