import { useCallback, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import type { ClientEvent } from '@amodal/sdk/client'
import { AmodalProvider, type AmodalProviderProps } from '../provider.tsx'
import { AmodalChat, type AmodalChatProps } from './amodal-chat.tsx'

type EventOf<T extends ClientEvent['type']> = Extract<ClientEvent, { readonly type: T }>

export interface ChatWidgetProps
  extends Omit<AmodalProviderProps, 'children'>, Omit<AmodalChatProps, 'chat'> {
  /**
   * `inline`: in its place; `floating`: a button that opens a panel; `right`, `bottom`: a panel at
   * that side. Default: `floating`.
   */
  readonly position?: 'inline' | 'floating' | 'right' | 'bottom'
  readonly title?: string
  /** Whether a floating widget is open at first. */
  readonly defaultOpen?: boolean
  /** A tool is called. */
  readonly onToolCall?: (tool: string, args: EventOf<'tool_call_start'>['parameters']) => void
  readonly onSkillActivated?: (skill: string) => void
  /** The agent proposes a document for its knowledge. */
  readonly onKBProposal?: (proposal: EventOf<'kb_proposal'>) => void
  /** A write operation needs an approval, which the widget asks for. */
  readonly onConfirmation?: (confirmation: EventOf<'confirmation_required'>) => void
}

/**
 * A chat with a server of its own, for pages without an `AmodalProvider`. Its looks come with
 * `@amodal/react/widget/style.css`.
 *
 * @example
 * <ChatWidget url="https://agent.example" position="floating" title="Ask us" />
 */
export function ChatWidget(props: ChatWidgetProps): ReactNode {
  const { url, runtimeUrl, credential, getToken, scope, headers, fetch, outbox, ...chat } = props
  return (
    <AmodalProvider
      {...{
        ...(url !== undefined && { url }),
        ...(runtimeUrl !== undefined && { runtimeUrl }),
        ...(credential !== undefined && { credential }),
        ...(getToken && { getToken }),
        ...(scope !== undefined && { scope }),
        ...(headers && { headers }),
        ...(fetch && { fetch }),
        ...(outbox && { outbox }),
      }}
    >
      <Panel {...chat} />
    </AmodalProvider>
  )
}

type PanelProps = Omit<ChatWidgetProps, keyof AmodalProviderProps>

function Panel({
  position = 'floating',
  title = 'Chat',
  defaultOpen = false,
  onToolCall,
  onSkillActivated,
  onKBProposal,
  onConfirmation,
  ...chat
}: PanelProps): ReactNode {
  const isFloating = position === 'floating'
  const [isOpen, setOpen] = useState(defaultOpen)
  const onEvent = useEvents(chat.onEvent, {
    onToolCall,
    onSkillActivated,
    onKBProposal,
    onConfirmation,
  })
  const toggle = useRef<HTMLButtonElement>(null)
  const heading = useId()
  const isClosing = useRef(false)
  const close = (): void => {
    isClosing.current = true
    setOpen(false)
  }
  useEffect(() => {
    if (!isOpen && isClosing.current) toggle.current?.focus()
    isClosing.current = false
  }, [isOpen])
  if (isFloating && !isOpen)
    return (
      <button
        ref={toggle}
        type="button"
        className="pcw-toggle"
        aria-expanded={false}
        onClick={() => setOpen(true)}
      >
        {title}
      </button>
    )
  return (
    <section
      className="pcw-widget"
      data-position={position}
      aria-labelledby={heading}
      onKeyDown={(event) => {
        // shortcuts of the page are not for what is written here
        event.stopPropagation()
        if (isFloating && event.key === 'Escape') close()
      }}
    >
      <header className="pcw-head">
        <h2 id={heading}>{title}</h2>
        {isFloating && (
          <button type="button" aria-label="Close" onClick={close}>
            ×
          </button>
        )}
      </header>
      <AmodalChat {...chat} onEvent={onEvent} />
    </section>
  )
}

type Callbacks = Pick<
  { readonly [K in keyof PanelProps]: PanelProps[K] | undefined },
  'onToolCall' | 'onSkillActivated' | 'onKBProposal' | 'onConfirmation'
>

/** Calls back once for each thing that happens, also where its events are replayed. */
function useEvents(
  onEvent: ((event: ClientEvent) => void) | undefined,
  callbacks: Callbacks,
): (event: ClientEvent) => void {
  const latest = useRef({ onEvent, ...callbacks })
  const seen = useRef(new Set<string>())
  useEffect(() => {
    latest.current = { onEvent, ...callbacks }
  })
  return useCallback((event: ClientEvent) => {
    const now = latest.current
    now.onEvent?.(event)
    const isNew = (id: string): boolean => {
      const key = `${event.type} ${id}`
      if (seen.current.has(key)) return false
      seen.current.add(key)
      return true
    }
    switch (event.type) {
      case 'tool_call_start':
        if (isNew(event.tool_id)) now.onToolCall?.(event.tool_name, event.parameters)
        break
      case 'skill_activated':
        if (isNew(`${event.frame.seq} ${event.skill_name}`))
          now.onSkillActivated?.(event.skill_name)
        break
      case 'kb_proposal':
        if (isNew(`${event.proposal_id} ${event.status}`)) now.onKBProposal?.(event)
        break
      case 'confirmation_required':
        if (isNew(event.id)) now.onConfirmation?.(event)
        break
      default:
    }
  }, [])
}
