import type { Json } from '@amodal/sdk'
import { asJson, isAcknowledgement, type Place, type ParsedText } from './parsed-text.ts'

/**
 * Parts of a form or of a message, each with its name; a part that is no field has to be understood
 * itself.
 */
export function readMultipart(text: string, { read }: Place): ParsedText | undefined {
  const [, boundary] = /^\s*--([^\r\n]{1,100}?)\r?\n/.exec(text) ?? []
  if (boundary === undefined || !text.trimEnd().endsWith(`--${boundary}--`)) return undefined
  const parts: Json[] = []
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.replace(/^\r?\n/, '').split(/\r?\n\r?\n/)
    const body = rest.join('\n\n').replace(/\r?\n$/, '')
    const name = /name="?([^";\r\n]+)/i.exec(
      /^content-disposition:.*$/im.exec(head)?.[0] ?? '',
    )?.[1]
    const said = /^content-transfer-encoding:\s*base64/im.test(head)
      ? Buffer.from(body, 'base64').toString('utf8')
      : body
    if (name === undefined) {
      const inner = read(said)
      if (!inner && !isAcknowledgement(said)) return undefined
      parts.push(inner?.value ?? said)
    } else parts.push({ [name]: said })
  }
  return parts.length === 0 ? undefined : { value: parts, render: asJson }
}
