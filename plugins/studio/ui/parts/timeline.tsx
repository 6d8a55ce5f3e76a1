import type { AnswerInput } from '@amodal/sdk/client'
import { memo, type ReactNode } from 'react'
import type { Item } from '../model/timeline.ts'
import type { Settlement } from '../model/conversation.ts'
import { AskCard } from './ask-card.tsx'
import { CopyButton } from './copy-button.tsx'
import { UnknownOutcomeCard } from './unknown-outcome-card.tsx'
import { Markdown } from './markdown.tsx'
import { ToolCall } from './tool-call.tsx'
import { Widget } from './widget.tsx'

interface EntryProps {
  readonly item: Item
  readonly growing: boolean
  readonly nameOf: (by: string) => string
  readonly onAnswer: (answer: AnswerInput) => void
  readonly onSettle: (call: string, settlement: Settlement) => Promise<string | undefined>
}

/** One thing in a conversation. */
export const Entry = memo(
  ({ item, growing, nameOf, onAnswer, onSettle }: EntryProps): ReactNode => {
    switch (item.kind) {
      case 'user':
        return (
          <article className={item.unsent ? 'said unsent' : 'said'} aria-label="You">
            <p>{item.text}</p>
            {item.unsent && <small>Sent once the server is back</small>}
          </article>
        )
      case 'text':
        return (
          <article className={growing ? 'answer growing' : 'answer'} aria-label="Agent">
            <Markdown text={item.text} />
            {!growing && <CopyButton text={item.text} label="Copy answer" />}
          </article>
        )
      case 'thought':
        return (
          <details className="thought">
            <summary>Thinking</summary>
            <p>{item.text}</p>
          </details>
        )
      case 'call':
        // its widget says it all
        return item.name === 'present' && item.status !== 'error' ? null : <ToolCall call={item} />
      case 'widget':
        return <Widget type={item.type} data={item.data} />
      case 'ask':
        return (
          <AskCard
            ask={item.ask}
            open={item.open}
            settled={item.settled}
            nameOf={nameOf}
            onAnswer={onAnswer}
          />
        )
      case 'doubt':
        return <UnknownOutcomeCard item={item} nameOf={nameOf} onSettle={onSettle} />
      case 'note':
        return (
          <p className={`note ${item.tone}`} role={item.tone === 'error' ? 'alert' : undefined}>
            {item.text}
          </p>
        )
      case 'end':
        return <End item={item} />
      default:
        return item satisfies never
    }
  },
  (before, now) =>
    before.growing === now.growing &&
    before.onAnswer === now.onAnswer &&
    isSame(before.item, now.item),
)

/** Items are made anew with each event; most of them say what they said before. */
function isSame(a: Item, b: Item): boolean {
  if (a === b) return true
  if (a.kind === 'text' && b.kind === 'text') return a.text === b.text
  if (a.kind === 'call' && b.kind === 'call')
    return (
      a.status === b.status &&
      a.label === b.label &&
      a.log.length === b.log.length &&
      a.params === b.params &&
      a.result === b.result
    )
  if (a.kind === 'ask' && b.kind === 'ask')
    return (
      a.open === b.open &&
      a.settled?.decision === b.settled?.decision &&
      a.settled?.by === b.settled?.by &&
      a.settled?.at === b.settled?.at
    )
  if (a.kind === 'user' && b.kind === 'user') return a.unsent === b.unsent
  if (a.kind === 'widget' && b.kind === 'widget') return a.data === b.data
  return false
}

const ENDS: Readonly<Record<string, string>> = {
  user_abort: 'Stopped.',
  max_turns: 'Its turns were used up.',
  budget_exceeded: 'A limit ended this turn.',
  loop_detected: 'It went in circles and was stopped.',
  error: 'This turn failed.',
}

/** How a turn ended, what it took, and what stands beside that. */
export function End({
  item: { reason, usage, cost },
  children,
}: {
  readonly item: Extract<Item, { readonly kind: 'end' }>
  readonly children?: ReactNode
}): ReactNode {
  const why = reason === 'model_stop' ? undefined : (ENDS[reason] ?? reason)
  return (
    <div className="end">
      {children}
      {why !== undefined && <span>{why}</span>}
      {usage !== undefined && usage.total_tokens > 0 && (
        <span
          title={`${usage.input_tokens.toLocaleString()} in, ${usage.output_tokens.toLocaleString()} out, ${usage.cached_tokens.toLocaleString()} from the cache`}
        >
          {usage.total_tokens.toLocaleString()} tokens
        </span>
      )}
      {cost !== undefined && cost > 0 && (
        <span>${cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2)}</span>
      )}
    </div>
  )
}
