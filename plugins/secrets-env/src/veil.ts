import {
  type AgentEvent,
  type HookTaps,
  type JournalEntry,
  type Json,
  mapTexts,
  type ToolResult,
} from '@amodal/sdk'
import { type Veiling, VeiledStream } from './veiled-stream.ts'

type Mask = (text: string) => string

/** The value with every text in it masked; `undefined` where there is nothing to mask. */
export function masked<T extends object>(value: T, mask: Mask): T | undefined {
  const shown = mapTexts(value as unknown as Json, mask) as unknown as T // same shape, other texts
  return shown === value ? undefined : shown
}

/**
 * No value of a secret gets further than the tool that was given it: not to the model, the journal
 * or a client, whoever echoes it. After all other taps, so that none of them brings one back.
 */
export function veil({ tool, journal, event, model }: HookTaps, secrets: Veiling): void {
  const mask: Mask = (text) => secrets.mask(text)
  // A secret that a model has put together comes in pieces, and none of them is one.
  model.stream.tap(() => new VeiledStream(secrets), { stage: 'last' })
  tool.result.tap((result: ToolResult) => masked(result, mask), { stage: 'last' })
  journal.write.tap((entry: JournalEntry) => masked(entry, mask), { stage: 'last' })
  event.emit.tap(
    (said: AgentEvent) => {
      if (said.type === 'text_delta' || said.type === 'reasoning_delta') {
        const content = mask(said.content)
        return content === said.content ? undefined : { ...said, content }
      }
      return masked(said, mask)
    },
    { stage: 'last' },
  )
}
