import type { JsonObject } from '@amodal/sdk'
import { ClientError } from '@amodal/sdk/client'
import { problemOf } from './server.ts'
import type { StoresApi } from './stores.ts'

/** Why a document was not stored. */
export interface Refusal {
  readonly message: string
  /** It stands at another version than the one that was edited. */
  readonly isConflict: boolean
}

/** @param version at which the document must stand; 0 where there must be none */
export async function saveDocument(
  api: StoresApi,
  store: string,
  payload: JsonObject,
  version: number,
): Promise<{ readonly key: string } | Refusal> {
  try {
    return await api.put(store, payload, version)
  } catch (cause) {
    const isConflict = cause instanceof ClientError && cause.status === 412
    return { message: problemOf(cause), isConflict }
  }
}
