import { err, messageOf, ok, trySync, type Result } from '@amodal/sdk'
import { jsonFields } from '@amodal/sdk/model'
import { z } from 'zod'

/** Source: "Create and delete service account keys" in the documentation of Google Cloud. */
const ServiceAccountKey = z.object({
  type: z.literal('service_account'),
  project_id: z.string().optional(),
  private_key_id: z.string().optional(),
  private_key: z.string().min(1),
  client_email: z.string().min(1),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
})

/** The key file of a service account, as Google Cloud writes it. */
export type ServiceAccount = z.output<typeof ServiceAccountKey>

/** Whether a key is the key file of an account, and no API key. */
export const isAccount = (key: string): boolean => key.trimStart().startsWith('{')

/** Says what is wrong with a key file. */
export const noAccount = (problem: string): string =>
  `invalid credentials: the key of the provider 'vertex' is no key of a service account: ${problem}`

/**
 * Reads the key file of a service account.
 *
 * @returns the account, or what is wrong with the text; the message quotes nothing of it
 * @example
 * serviceAccountOf('{ "type": "service_account", "client_email": "…", "private_key": "…" }')
 */
export function serviceAccountOf(text: string): Result<ServiceAccount, string> {
  const json = trySync((): unknown => JSON.parse(text), messageOf)
  if (!json.ok) return err('it is no JSON')
  const account = ServiceAccountKey.safeParse(json.value)
  if (account.success) return ok(account.data)
  const { type } = jsonFields(text)
  if (typeof type === 'string' && type !== 'service_account')
    return err(`it is of the type "${type.slice(0, 40)}", and only "service_account" is supported`)
  const fields = account.error.issues.map(({ path }) => path.join('.') || 'the whole of it')
  return err(`these fields are missing or wrong: ${[...new Set(fields)].join(', ')}`)
}
