import type { AgentBundle, JsonObject, Secrets } from '@amodal/sdk'
import { checkReferences, Issues, manifestFile, shaped, warnUnknown } from '@amodal/sdk/files'
import { z } from 'zod'

const PART = 'notify'

const reference = z.string().regex(/^env:[A-Za-z_]\w*$/, {
  message: 'must name a variable: a secret does not stand in a file; write "env:NAME"',
})
const shape = z.looseObject({
  notify: z.looseObject({
    url: z
      .string()
      .refine(
        (value) => value.startsWith('env:') || /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
        { message: 'is no address: write "env:NAME", or one that begins with https://' },
      ),
    secret: reference.exactOptional(),
    publicUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
  }),
})
const NAMES = Object.keys(shape.shape.notify.shape)

/** Where notices go. References (`env:NAME`) are resolved when one is sent, and never stored. */
export interface Target {
  readonly url: string
  /** Signs what is sent, as Standard Webhooks says. */
  readonly secret?: string
  /** Under which people reach the server; notices have no link where it is left out. */
  readonly publicUrl?: string
}

/**
 * Reads `notify` of `amodal.json`; every problem is named with its line.
 *
 * @returns the bundle with its target, or `undefined` where it has none
 */
export async function readTarget(
  bundle: AgentBundle,
  secrets: Secrets,
): Promise<AgentBundle | undefined> {
  const block = bundle.manifest.raw['notify'] ?? null
  if (block === null) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  warnUnknown(json, [PART], NAMES, issues)
  const read = shaped(shape, json, [], issues)
  const references = checkReferences({ ...json, value: { notify: block } }, secrets, issues)
  const { url, secret, publicUrl } = read?.notify ?? { url: undefined }
  const target: JsonObject | undefined =
    url === undefined
      ? undefined
      : {
          url,
          ...(secret !== undefined && { secret }),
          ...(publicUrl !== undefined && { publicUrl }),
        }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    references: [...bundle.references, ...references],
    parts: { ...bundle.parts, ...(target && { [PART]: target }) },
  }
}

/** What `readTarget` has read; `undefined` where nobody is to be told. */
export const targetOf = ({ parts }: Pick<AgentBundle, 'parts'>): Target | undefined =>
  parts[PART] as Target | undefined // written by `readTarget`
