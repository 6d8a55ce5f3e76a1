import { redact, trySync, type Json, type ReplyCall } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/** Arguments as the model sent them; `{}` where they were no JSON. */
export function argumentsOf({ input }: Pick<ReplyCall, 'input'>): Json {
  const parsed = trySync(
    () => parseExact(input) as Json, // JSON text
    () => undefined,
  )
  return parsed.ok ? redact(parsed.value) : {}
}
