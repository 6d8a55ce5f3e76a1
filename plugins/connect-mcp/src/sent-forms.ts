import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { jsonObject } from './elicitation.ts'

/** Forms that are remembered at a time: each is asked for at once. */
const MOST = 100

/**
 * The forms of questions as their server has sent them: the client library drops constraints that
 * its own schema does not know, such as `pattern`, so that values would be sent that the server
 * refuses.
 */
export class SentForms {
  readonly #forms = new Map<string, unknown>()

  /** Takes note of a message before the library reads it. */
  record(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'elicitation/create') this.#keep(message.params)
    if (!('result' in message)) return
    for (const request of Object.values(jsonObject(message.result['inputRequests']))) {
      const { method, params } = jsonObject(request)
      if (method === 'elicitation/create') this.#keep(params)
    }
  }

  /** The same question with the form as it was sent. */
  whole<P extends { readonly message: string; readonly requestedSchema?: unknown }>(params: P): P {
    const requestedSchema = this.#forms.get(keyOf(params))
    return requestedSchema === undefined ? params : { ...params, requestedSchema }
  }

  #keep(params: unknown): void {
    const asked = jsonObject(params)
    if (typeof asked['message'] !== 'string') return
    this.#forms.set(
      keyOf({ message: asked['message'], requestedSchema: asked['requestedSchema'] }),
      asked['requestedSchema'],
    )
    const [oldest] = this.#forms.keys()
    if (this.#forms.size > MOST && oldest !== undefined) this.#forms.delete(oldest)
  }
}

const keyOf = ({
  message,
  requestedSchema,
}: {
  readonly message: string
  readonly requestedSchema?: unknown
}): string =>
  JSON.stringify([message, Object.keys(jsonObject(jsonObject(requestedSchema)['properties']))])
