import type { AnswerInput } from '@amodal/sdk/client'
import { lazy, memo, Suspense, useState, type ReactNode } from 'react'
import { costText } from '../model/format.ts'
import type { Item } from '../model/timeline.ts'
import type { Settlement } from '../model/conversation.ts'
import type { Server } from '../model/server.ts'
import { STRINGS } from '../strings.ts'
import { SentFiles } from './attachment-list.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon, type IconName } from './icons.tsx'
import { Markdown } from './markdown.tsx'
import { ToolCall } from './tool-call.tsx'

// decisions and widgets are rare, and the first view is small without them
const AskCard = lazy(async () => ({ default: (await import('./ask-card.tsx')).AskCard }))
const UnknownOutcomeCard = lazy(async () => ({
  default: (await import('./unknown-outcome-card.tsx')).UnknownOutcomeCard,
}))
const Widget = lazy(async () => ({ default: (await import('./widget.tsx')).Widget }))

interface EntryProps {
  readonly server: Server
  readonly item: Item
  readonly growing: boolean
  readonly nameOf: (by: string) => string
  readonly onAnswer: (answer: AnswerInput) => void
  readonly onSettle: (call: string, settlement: Settlement) => Promise<string | undefined>
  /** Sends the message anew, with another text; left out where that is not offered. */
  readonly onEdit?: ((key: string, text: string) => void) | undefined
}

/** One thing in a conversation. */
export const Entry = memo(
  ({ server, item, growing, nameOf, onAnswer, onSettle, onEdit }: EntryProps): ReactNode => {
    switch (item.kind) {
      case 'user':
        return (
          <UserMessage
            server={server}
            item={item}
            onEdit={onEdit && ((text) => onEdit(item.key, text))}
          />
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
        return (
          <Suspense>
            <Widget type={item.type} data={item.data} />
          </Suspense>
        )
      case 'ask':
        return (
          <Suspense>
            <AskCard
              ask={item.ask}
              open={item.open}
              settled={item.settled}
              nameOf={nameOf}
              onAnswer={onAnswer}
            />
          </Suspense>
        )
      case 'doubt':
        return (
          <Suspense>
            <UnknownOutcomeCard item={item} nameOf={nameOf} onSettle={onSettle} />
          </Suspense>
        )
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
    before.onEdit === now.onEdit &&
    isSame(before.item, now.item),
)

/** What a person has sent; a click on the pencil changes it and sends it once more. */
function UserMessage({
  server,
  item: { text, assets = [], unsent },
  onEdit,
}: {
  readonly server: Server
  readonly item: Extract<Item, { readonly kind: 'user' }>
  readonly onEdit: ((text: string) => void) | undefined
}): ReactNode {
  const [draft, setDraft] = useState<string>()
  const { turn } = STRINGS
  if (draft !== undefined)
    return (
      <form
        className="edit-message"
        onSubmit={(event) => {
          event.preventDefault()
          onEdit?.(draft.trim())
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          setDraft(undefined)
        }}
      >
        <textarea
          aria-label={turn.edit}
          autoFocus
          rows={Math.min(8, draft.split('\n').length + 1)}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        <button type="button" onClick={() => setDraft(undefined)}>
          {turn.cancel}
        </button>
        <button type="submit" className="primary" disabled={draft.trim() === ''}>
          {turn.resend}
        </button>
      </form>
    )
  return (
    <article className={unsent ? 'said unsent' : 'said'} aria-label="You">
      <SentFiles server={server} files={assets} />
      {text !== '' && <p>{text}</p>}
      {unsent && <small>{turn.unsent}</small>}
      {onEdit && (
        <button
          type="button"
          className="quiet edit"
          aria-label={turn.edit}
          title={turn.edit}
          onClick={() => setDraft(text)}
        >
          <Icon name="pencil" />
        </button>
      )}
    </article>
  )
}

/** Something that can be done with a turn. */
export const TurnButton = ({
  name,
  title,
  onClick,
}: {
  readonly name: IconName
  readonly title: string
  readonly onClick: () => void
}): ReactNode => (
  <button type="button" className="quiet" aria-label={title} title={title} onClick={onClick}>
    <Icon name={name} />
  </button>
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
      {cost !== undefined && cost > 0 && <span>{costText(cost)}</span>}
    </div>
  )
}
