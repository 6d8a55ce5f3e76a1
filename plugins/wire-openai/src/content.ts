import type { AssetInput } from '@amodal/sdk'
import { fileOfUrl } from '@amodal/sdk/wire'
import { z } from 'zod'
import type { ContentPart } from './incoming.ts'

/** Only what is in the request or kept here is read: nothing is fetched for a client. */
export const fileUrl = z.string().transform((url, context): AssetInput => {
  const file = fileOfUrl(url)
  if (file.ok) return file.value
  context.addIssue({ code: 'custom', message: file.error })
  return z.NEVER
})

/** The id of an uploaded file. */
export const fileId = z
  .string()
  .max(100)
  .transform((asset): AssetInput => ({ asset }))

/** The one of several fields that says where a file is, with the name that stands beside it. */
export const fileIn = (
  ways: readonly (AssetInput | null | undefined)[],
  name: string | null | undefined,
  context: z.core.$RefinementCtx,
): ContentPart => {
  const [file, ...others] = ways.filter((way) => way !== null && way !== undefined)
  if (file && others.length === 0) return { kind: 'file', file: { ...file, ...(name && { name }) } }
  context.addIssue({ code: 'custom', message: 'must say in one way where the file is' })
  return z.NEVER
}

export const textPart = (text: string): ContentPart => ({ kind: 'text', text })
export const filePart = (file: AssetInput): ContentPart => ({ kind: 'file', file })

/** Texts of parts that may hold nothing else. */
export const plainText = (...types: readonly [string, ...string[]]) =>
  z.union([
    z.string(),
    z
      .array(z.object({ type: z.enum(types), text: z.string() }))
      .transform((parts) => parts.map(({ text }) => text).join('\n')),
  ])
