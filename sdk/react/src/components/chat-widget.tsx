import {
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
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
  const onEvent = useEvents(chat.onEvent, {
    onToolCall,
    onSkillActivated,
    onKBProposal,
    onConfirmation,
  })
  const { toggle, isOpen, open, close } = useToggle(defaultOpen)
  const heading = useId()
  if (isFloating && !isOpen)
    return (
      <button ref={toggle} type="button" className="pcw-toggle" onClick={open}>
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

/** Opens and closes a panel; the focus returns to what has opened it. */
function useToggle(isOpenAtFirst: boolean): {
  readonly toggle: RefObject<HTMLButtonElement | null>
  readonly isOpen: boolean
  readonly open: () => void
  readonly close: () => void
} {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const toggle = useRef<HTMLButtonElement>(null)
  const isClosing = useRef(false)
  useEffect(() => {
    if (!isOpen && isClosing.current) toggle.current?.focus()
    isClosing.current = false
  }, [isOpen])
  return {
    toggle,
    isOpen,
    open: () => setOpen(true),
    close() {
      isClosing.current = true
      setOpen(false)
    },
  }
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
    latest.current.onEvent?.(event)
    const id = idOf(event)
    if (id === undefined || seen.current.has(id)) return
    seen.current.add(id)
    callBack(event, latest.current)
  }, [])
}

/** What an event is of, the same where it is replayed; `undefined` without a callback. */
function idOf(event: ClientEvent): string | undefined {
  switch (event.type) {
    case 'tool_call_start':
      return `call ${event.tool_id}`
    case 'skill_activated':
      return `skill ${event.frame.seq} ${event.skill_name}`
    case 'kb_proposal':
      return `proposal ${event.proposal_id} ${event.status}`
    case 'confirmation_required':
      return `confirmation ${event.id}`
    default:
      return undefined
  }
}

function callBack(event: ClientEvent, callbacks: Callbacks): void {
  if (event.type === 'tool_call_start') callbacks.onToolCall?.(event.tool_name, event.parameters)
  if (event.type === 'skill_activated') callbacks.onSkillActivated?.(event.skill_name)
  if (event.type === 'kb_proposal') callbacks.onKBProposal?.(event)
  if (event.type === 'confirmation_required') callbacks.onConfirmation?.(event)
}
