import {
  redact,
  type AssetRef,
  type Json,
  type JsonObject,
  type PendingAsk,
  type ToolContent,
  type WireUsage,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { assetUrl } from '@amodal/sdk/wire'
import type { ContentPart, Interrupt, TokenUsage } from './event.ts'

/** How the reasons of interrupts are called. */
const REASONS: Readonly<Record<PendingAsk['type'], string>> = {
  approval: 'tool_approval',
  question: 'input_required',
  continue_or_finish: 'limit_reached',
}

export function interruptOf({
  id,
  type,
  call,
  schema,
  context,
  expires_at: expires,
}: PendingAsk): Interrupt {
  const { question, reason } = context
  const message = typeof question === 'string' ? question : reason
  return {
    id,
    reason: REASONS[type],
    responseSchema: schema,
    metadata: { context: redact(context) },
    ...(typeof message === 'string' && message !== '' && { message }),
    ...(call && { toolCallId: call }),
    ...(expires !== undefined && { expiresAt: new Date(expires).toISOString() }),
  }
}

/** A result with its pictures. */
export function resultContent(
  text: string,
  content: readonly ToolContent[] | undefined,
): string | readonly ContentPart[] {
  const pictures = (content ?? []).flatMap((part): readonly ContentPart[] =>
    part.type === 'image' && part.audience !== 'model'
      ? [
          {
            type: 'image',
            source: {
              type: part.isUrl === true ? 'url' : 'data',
              value: part.data,
              mimeType: part.mimeType,
            },
          },
        ]
      : [],
  )
  return pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures]
}

export const userContent = (
  text: string,
  assets: readonly AssetRef[] = [],
): string | readonly ContentPart[] =>
  assets.length === 0
    ? text
    : [
        { type: 'text', text },
        ...assets.map(({ mediaType, name, ...file }): ContentPart => ({
          type: kindOf(mediaType),
          source: {
            ...(file.data === undefined
              ? { type: 'url', value: assetUrl({ mediaType, ...file }) }
              : { type: 'data', value: file.data }),
            mimeType: mediaType,
          },
          ...(name !== undefined && { metadata: { filename: name } }),
        })),
      ]

function kindOf(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

export const tokenUsage = (usage: WireUsage | undefined): readonly TokenUsage[] | undefined =>
  usage && [
    {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      totalTokens: usage.input_tokens + usage.output_tokens,
      cachedInputTokens: Math.min(usage.cached_tokens, usage.input_tokens),
    },
  ]

/** Made of JSON: the types of events have no index. */
export const jsonOf = (value: object): JsonObject => parseExact(JSON.stringify(value)) as JsonObject

export const argumentsOf = (parameters: Json): string => JSON.stringify(redact(parameters))

// Ids of what a run tells: always the same, so that a run that is told again takes its own place.

export const stepMessage = (run: string, step: number): string => `${run}:${step}`
export const resultMessage = (call: string): string => `${call}:result`
