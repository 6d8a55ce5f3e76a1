import { explain } from '@amodal/sdk'
import type { FolderError } from './folder.ts'

/** What went wrong at the start, where, and what to do: for a person at a terminal. */
export const explainStart = (error: FolderError): string =>
  explain(error.kind === 'config' ? { kind: 'agent', failure: error.failure } : error)
