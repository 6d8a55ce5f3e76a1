import { useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react'
import type { ChatMessage } from '@amodal/sdk/client'
import { useAttachments, type Attachments } from '../hooks/use-attachments.ts'
import type { Chat, UseChatOptions } from '../hooks/use-chat.ts'
import { ChatRoot, useChatContext } from './chat-context.tsx'
import { useComposer } from './headless.tsx'
import { ItemView, type ItemViewProps } from './item-view.tsx'

export interface AmodalChatProps extends UseChatOptions {
  /** Default: a chat of the other properties. */
  readonly chat?: Chat
  readonly className?: string
  readonly placeholder?: string
  /** Shown before the first message. */
  readonly welcome?: ReactNode
  /** Whether files can go with messages. Default: yes. */
  readonly attachments?: boolean
  /** Renders a widget of the agent. Default: its type and its values. */
  readonly renderWidget?: ItemViewProps['renderWidget']
}

/**
 * A conversation with the agent: messages, tool calls, approvals, questions and widgets, and a
 * field to write in. Its looks come with `@amodal/react/style.css`.
 *
 * @example
 * <AmodalProvider url="https://agent.example">
 *   <AmodalChat placeholder="Ask about incidents" />
 * </AmodalProvider>
 */
export function AmodalChat({
  chat,
  className,
  placeholder = 'Message the agent',
  welcome,
  attachments = true,
  renderWidget,
  ...options
}: AmodalChatProps): ReactNode {
  return (
    <ChatRoot {...options} {...(chat && { chat })}>
      <div className={className === undefined ? 'pcw-chat' : `pcw-chat ${className}`}>
        <Log welcome={welcome} renderWidget={renderWidget} />
        <Notices />
        <Composer placeholder={placeholder} hasAttachments={attachments} />
      </div>
    </ChatRoot>
  )
}

/** px from the end within which a reader counts as being there. */
const NEAR_END = 80

/** Scrolls to the end as the conversation grows, while the reader is there. */
function useEnd(grows: unknown): {
  readonly area: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
} {
  const area = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useIsomorphicLayoutEffect(() => {
    if (area.current && isAtEnd.current) area.current.scrollTop = area.current.scrollHeight
  }, [grows])
  return {
    area,
    onScroll() {
      const { current } = area
      if (!current) return
      isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END
    },
  }
}

/** React 18 warns of layout effects that a server renders. */
const useIsomorphicLayoutEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect

function Log({
  welcome,
  renderWidget,
}: Pick<AmodalChatProps, 'welcome' | 'renderWidget'>): ReactNode {
  const { messages, items, status } = useChatContext()
  const { area, onScroll } = useEnd(items)
  return (
    <div
      className="pcw-log"
      ref={area}
      onScroll={onScroll}
      tabIndex={0}
      role="log"
      aria-label="Conversation"
      aria-live="polite"
      aria-busy={status === 'running'}
      data-status={status}
    >
      {messages.length === 0 && status === 'idle' && welcome}
      {messages.map((message) => (
        <Message key={message.key} message={message} renderWidget={renderWidget} />
      ))}
      {status === 'running' && (
        <p className="pcw-thinking" aria-hidden="true">
          <i />
          <i />
          <i />
        </p>
      )}
    </div>
  )
}

interface MessageProps {
  readonly message: ChatMessage
  readonly renderWidget: AmodalChatProps['renderWidget']
}

const Message = ({ message, renderWidget }: MessageProps): ReactNode => (
  <article
    className="pcw-message"
    data-role={message.role}
    aria-label={message.role === 'user' ? 'You' : 'Agent'}
  >
    {message.parts.map((item) => (
      <ItemView key={item.key} item={item} renderWidget={renderWidget} />
    ))}
    {message.files.length > 0 && (
      <ul className="pcw-files">
        {message.files.map(({ id, name }) => (
          <li key={id}>{name ?? id.slice(0, 8)}</li>
        ))}
      </ul>
    )}
    {message.unsent && <small>Sent once the server is back</small>}
  </article>
)

/** What the person should know besides the conversation. */
function Notices(): ReactNode {
  const { error, status, setAside, locked, stop, retry, grants, revoke } = useChatContext()
  return (
    <div className="pcw-notices" role="status">
      {status === 'away' && <p>The server is away. What you send is delivered once it is back.</p>}
      {error && (
        <p className="pcw-note" data-tone="error" role="alert">
          {error.message}
        </p>
      )}
      {locked !== undefined && (
        <p className="pcw-note" data-tone="warning">
          Only somebody who has signed in can answer this.
        </p>
      )}
      {setAside && status === 'idle' && (
        <p>
          {setAside.message}{' '}
          <button type="button" onClick={retry}>
            Continue
          </button>{' '}
          <button type="button" onClick={stop}>
            End it
          </button>
        </p>
      )}
      {grants.map(({ id, tool, endpoint }) => (
        <p key={id}>
          Approved in this conversation: <code>{endpoint ?? tool}</code>{' '}
          <button type="button" onClick={() => void revoke(id)}>
            End this
          </button>
        </p>
      ))}
    </div>
  )
}

interface ComposerProps {
  readonly placeholder: string
  readonly hasAttachments: boolean
}

function Composer({ placeholder, hasAttachments }: ComposerProps): ReactNode {
  const attachments = useAttachments()
  const composer = useComposer(attachments.files, attachments.clear)
  const isReady = composer.isSendable && attachments.isReady
  return (
    <form
      className="pcw-composer"
      onSubmit={(event) => {
        if (isReady) composer.onSubmit(event)
        else event.preventDefault()
      }}
    >
      {hasAttachments && <AttachmentList attachments={attachments} />}
      <textarea
        rows={1}
        aria-label="Message"
        enterKeyHint="send"
        autoComplete="off"
        placeholder={placeholder}
        value={composer.text}
        onChange={(event) => composer.setText(event.target.value)}
        onKeyDown={(event) => {
          if (isReady || event.key !== 'Enter') composer.onKeyDown(event)
        }}
        onPaste={(event) => {
          if (!hasAttachments || event.clipboardData.files.length === 0) return
          event.preventDefault()
          attachments.add(event.clipboardData.files)
        }}
      />
      {composer.isRunning && !composer.isSendable ? (
        <button type="button" onClick={composer.stop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="pcw-primary" disabled={!isReady}>
          Send
        </button>
      )}
    </form>
  )
}

function AttachmentList({ attachments }: { readonly attachments: Attachments }): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className="pcw-attachments">
      <button type="button" aria-label="Attach a file" onClick={() => input.current?.click()}>
        +
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        onChange={(event) => {
          attachments.add([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      {attachments.list.map(({ key, name, state }) => (
        <span key={key} className="pcw-attachment" data-state={state.kind}>
          {name}
          {state.kind === 'failed' && `: ${state.error.message}`}
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => attachments.remove(key)}
          >
            ×
          </button>
        </span>
      ))}
    </div>
  )
}
