import { memo, type ReactNode } from 'react'
import type { Call, Item } from '@amodal/sdk/client'
import { AskCard } from './ask-card.tsx'
import { useChatContext } from './chat-context.tsx'
import { useAskActions } from './headless.tsx'
import { Markdown } from './markdown.tsx'
import { Values } from './values.tsx'

/** A widget that the agent shows. */
export interface WidgetProps {
  readonly type: string
  readonly data: unknown
}

export interface ItemViewProps {
  readonly item: Item
  /** Renders a widget. Default: its type and its values. */
  readonly renderWidget?: ((widget: WidgetProps) => ReactNode) | undefined
}

/** One thing of a conversation, as `AmodalChat` shows it. */
export const ItemView = /* @__PURE__ */ memo(({ item, renderWidget }: ItemViewProps): ReactNode => {
  switch (item.kind) {
    case 'user':
      return <p className="pcw-text">{item.text}</p>
    case 'text':
      return <Markdown text={item.text} />
    case 'thought':
      return (
        <details className="pcw-thought">
          <summary>Thinking</summary>
          <p>{item.text}</p>
        </details>
      )
    case 'call':
      return <CallView call={item} />
    case 'widget':
      return (
        renderWidget?.({ type: item.type, data: item.data }) ?? (
          <WidgetCard type={item.type} data={item.data} />
        )
      )
    case 'ask':
      return <AskItem item={item} />
    case 'doubt':
      return <DoubtCard item={item} />
    case 'note':
      return <Note tone={item.tone} text={item.text} />
    case 'end':
      return <EndView reason={item.reason} />
    default:
      return item satisfies never
  }
})

type NoteItem = Extract<Item, { readonly kind: 'note' }>
const Note = ({ tone, text }: Pick<NoteItem, 'tone' | 'text'>): ReactNode => (
  <p className="pcw-note" data-tone={tone} role={tone === 'error' ? 'alert' : undefined}>
    {text}
  </p>
)

function AskItem({ item }: { readonly item: Extract<Item, { readonly kind: 'ask' }> }): ReactNode {
  const actionsFor = useAskActions()
  return (
    <AskCard
      ask={item.ask}
      isOpen={item.open}
      settled={item.settled}
      actions={actionsFor(item.ask)}
    />
  )
}

const CallView = ({ call }: { readonly call: Call }): ReactNode => (
  <details className="pcw-call" data-status={call.status} data-tool={call.name}>
    <summary>{call.label}</summary>
    <Values value={call.params} />
    {call.log.length > 0 && <pre>{call.log.join('\n')}</pre>}
    {call.result !== undefined && <pre>{call.result}</pre>}
  </details>
)

const WidgetCard = ({ type, data }: WidgetProps): ReactNode => (
  <section className="pcw-card" aria-label={type} data-widget={type}>
    <h3>{type.replaceAll(/[-_]/g, ' ')}</h3>
    <Values value={data} />
  </section>
)

/** An effect whose outcome nobody knows until a person settles it. */
function DoubtCard({
  item,
}: {
  readonly item: Extract<Item, { readonly kind: 'doubt' }>
}): ReactNode {
  const { settle } = useChatContext()
  const { open, tool, params, settled } = item
  return (
    <section className="pcw-ask" data-open={open !== undefined}>
      <h3>{open ? `Did ${tool} happen? The connection broke off.` : `Settled: ${tool}`}</h3>
      <Values value={params} />
      {settled && <p>{settled.outcome.replaceAll('_', ' ')}</p>}
      {open && (
        <footer>
          <button type="button" onClick={() => void settle(open.call_id, 'happened')}>
            It happened
          </button>
          <button type="button" onClick={() => void settle(open.call_id, 'not_happened')}>
            It did not
          </button>
          {open.can_retry && (
            <button type="button" onClick={() => void settle(open.call_id, 'retry')}>
              Make it once more
            </button>
          )}
        </footer>
      )}
    </section>
  )
}

/** How a turn ended, where that is not as expected. */
const ENDS: Readonly<Record<string, string>> = {
  max_turns: 'It stopped: its turns are used up.',
  budget_exceeded: 'It stopped: a limit is reached.',
  loop_detected: 'It stopped: it repeated itself.',
  user_abort: 'Stopped.',
}

const EndView = ({ reason }: { readonly reason: string }): ReactNode =>
  ENDS[reason] === undefined ? null : <p className="pcw-end">{ENDS[reason]}</p>
