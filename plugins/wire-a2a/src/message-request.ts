import { err, ok, type AssetInput, type Json, type Result } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { fileOfUrl } from '@amodal/sdk/wire'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { a2aError, type A2aError } from './a2a-error.ts'

export interface WireLimits {
  readonly maxMessageChars: number
}

const part = z.object({
  text: z.string().optional(),
  raw: z.string().optional(),
  url: z.string().optional(),
  data: jsonValue.optional(),
  mediaType: z.string().max(200).optional(),
  filename: z.string().max(500).optional(),
})

export const pushConfig = z.object({
  id: z.string().max(100).default(''),
  taskId: z.string().max(300).default(''),
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  token: z.string().max(2_000).default(''),
  authentication: z
    .object({ scheme: z.string().max(50), credentials: z.string().max(4_000).default('') })
    .optional(),
})
export type PushConfig = z.output<typeof pushConfig>

const request = z.object({
  message: z.object({
    messageId: z.string().min(1).max(200),
    contextId: z.string().max(300).default(''),
    taskId: z.string().max(300).default(''),
    role: z.literal('ROLE_USER'),
    parts: z.array(part).min(1).max(100),
  }),
  configuration: z
    .object({
      acceptedOutputModes: z.array(z.string()).optional(),
      historyLength: z.number().int().min(0).optional(),
      returnImmediately: z.boolean().optional(),
      taskPushNotificationConfig: pushConfig.optional(),
    })
    .optional(),
})

/** What a message says. */
export interface MessageRequest {
  readonly messageId: string
  readonly contextId: string | undefined
  readonly taskId: string | undefined
  readonly text: string
  readonly assets: readonly AssetInput[]
  /** Data parts: answers to what a task waits for. */
  readonly data: readonly Json[]
  readonly historyLength: number | undefined
  readonly returnImmediately: boolean
  readonly push: PushConfig | undefined
}

export function readMessage(body: unknown, limits: WireLimits): Result<MessageRequest, A2aError> {
  const read = request.safeParse(body)
  if (!read.success) return err(a2aError('INVALID_PARAMS', problems(read.error)))
  const { message, configuration = {} } = read.data
  const { parts } = message
  const assets: AssetInput[] = []
  for (const one of parts) {
    const more = {
      ...(one.mediaType !== undefined && { mediaType: one.mediaType }),
      ...(one.filename !== undefined && one.filename !== '' && { name: one.filename }),
    }
    // base64 of the URL alphabet is allowed, too
    if (one.raw !== undefined)
      assets.push({ ...more, data: one.raw.replaceAll('-', '+').replaceAll('_', '/') })
    if (one.url === undefined) continue
    const file = fileOfUrl(one.url, more)
    if (!file.ok) return err(a2aError('CONTENT_TYPE_NOT_SUPPORTED', `parts: url ${file.error}`))
    assets.push(file.value)
  }
  const text = parts.flatMap((one) => one.text ?? []).join('\n')
  if (text.length > limits.maxMessageChars)
    return err(a2aError('INVALID_PARAMS', `parts: at most ${limits.maxMessageChars} characters`))
  return ok({
    messageId: message.messageId,
    contextId: message.contextId || undefined,
    taskId: message.taskId || undefined,
    text,
    assets,
    data: parts.flatMap((one) => (one.data === undefined ? [] : [one.data])),
    historyLength: configuration.historyLength,
    returnImmediately: configuration.returnImmediately === true,
    push: configuration.taskPushNotificationConfig,
  })
}
