import type { LanguageModelV4FinishReason } from '@ai-sdk/provider'

/**
 * What the reason for which a reply ended means: it is whole; it was cut short; the provider
 * refused to give it or more of it; it is none.
 */
export type FinishKind = 'success' | 'cut' | 'refused' | 'failed'

/** What the reasons of a protocol mean, in lower case. One that is not in it has failed. */
export type FinishTable = Readonly<Record<string, FinishKind>>

type Unified = LanguageModelV4FinishReason['unified']

/** What the reasons of the AI SDK mean. */
export const FINISH_KINDS: Readonly<Record<Unified, FinishKind>> = {
  stop: 'success',
  'tool-calls': 'success',
  length: 'cut',
  'content-filter': 'refused',
  error: 'failed',
  interrupted: 'failed',
  other: 'failed',
}

/** What a reason means, by its provider's own word where there is one. */
export function finishKind(
  { unified, raw }: LanguageModelV4FinishReason,
  table: FinishTable | undefined,
): FinishKind {
  if (raw === undefined || table === undefined || unified === 'content-filter')
    return FINISH_KINDS[unified]
  const name = raw.toLowerCase()
  return Object.hasOwn(table, name) ? (table[name] ?? 'failed') : 'failed'
}

/** The reason of the AI SDK for a kind; `hasCalls` tells two that are whole apart. */
export function unifiedFinish(kind: Exclude<FinishKind, 'failed'>, hasCalls: boolean): Unified {
  switch (kind) {
    case 'success':
      return hasCalls ? 'tool-calls' : 'stop'
    case 'cut':
      return 'length'
    case 'refused':
      return 'content-filter'
  }
}
