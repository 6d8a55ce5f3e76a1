import {
  type AgentEvent,
  type HookTaps,
  type JournalEntry,
  type Json,
  mapTexts,
  type ToolResult,
} from '@amodal/sdk'
import { type SecretRedactor, RedactedStream } from './redacted-stream.ts'

type Mask = (text: string) => string

/** The value with every string in it masked; `undefined` if there is nothing to mask. */
export function masked<T extends object>(value: T, mask: Mask): T | undefined {
  const shown = mapTexts(value as unknown as Json, mask) as unknown as T // same shape, other texts
  return shown === value ? undefined : shown
}

/**
 * Redacts secrets in tool results, journal entries, events and model output, so that none reaches
 * the model, the journal or a client. It taps at the stage `last`, so that no later tap can add
 * one.
 */
export function tapRedaction(
  { tool, journal, event, model }: HookTaps,
  secrets: SecretRedactor,
): void {
  const mask: Mask = (text) => secrets.mask(text)
  // A secret in the model's output can be split over several deltas.
  model.stream.tap(() => new RedactedStream(secrets), { stage: 'last' })
  tool.result.tap((result: ToolResult) => masked(result, mask), { stage: 'last' })
  journal.write.tap((entry: JournalEntry) => masked(entry, mask), { stage: 'last' })
  event.emit.tap(
    (emitted: AgentEvent) => {
      if (emitted.type === 'text_delta' || emitted.type === 'reasoning_delta') {
        const content = mask(emitted.content)
        return content === emitted.content ? undefined : { ...emitted, content }
      }
      return masked(emitted, mask)
    },
    { stage: 'last' },
  )
}
