'use client'
import { AmodalProvider, AskCard, Markdown, useChat } from '@amodal/react'
import '@amodal/react/style.css'
import type { Ask, Item, SessionDetails } from '@amodal/sdk/client'
import { useRouter } from 'next/navigation'
import type { FormEvent } from 'react'

interface ChatProps {
  /** Address of the agent's server. */
  readonly url: string
  /** As the server of the page has read it. Default: a new session. */
  readonly session?: SessionDetails | undefined
}

/** A conversation between the browser and the agent's server; the token comes from this site. */
export function Chat({ url, session }: ChatProps) {
  return (
    <AmodalProvider url={url} tokenUrl="/api/amodal/token">
      <Conversation session={session} />
    </AmodalProvider>
  )
}

function Conversation({ session }: Pick<ChatProps, 'session'>) {
  const router = useRouter()
  const chat = useChat({
    session: session?.id,
    initial: session,
    // A conversation has an address once the agent's server has named it: it stays the same
    // conversation when its id comes back as `session`.
    onSession: (id) => router.replace(`/?session=${id}`),
  })
  const { messages, status, error, send, stop } = chat
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = new FormData(event.currentTarget).get('text')
    if (typeof text === 'string' && text.trim() !== '') send(text.trim())
    event.currentTarget.reset()
  }
  return (
    <main data-status={status}>
      <div role="log" aria-label="Conversation" aria-busy={status === 'running'}>
        {messages.map(({ key, role, parts }) => (
          <article key={key} className={role}>
            {parts.map((part) => (
              <Part key={part.key} part={part} />
            ))}
          </article>
        ))}
      </div>
      <div className="pcw-chat asks">
        {chat.pending.map((ask) => (
          <AskCard key={ask.id} ask={ask} isOpen actions={actionsFor(chat, ask)} />
        ))}
      </div>
      {status === 'away' && <p role="status">The server is away. Your message waits for it.</p>}
      {error && <p role="alert">{error.message}</p>}
      <form className="composer" onSubmit={onSubmit}>
        <input name="text" aria-label="Message" autoComplete="off" />
        {status === 'running' ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button>Send</button>
        )}
      </form>
    </main>
  )
}

/** Whatever the agent says or does; approvals stand below the messages while they are open. */
function Part({ part }: { readonly part: Item }) {
  if (part.kind === 'user') return <p>{part.text}</p>
  if (part.kind === 'text') return <Markdown text={part.text} />
  if (part.kind === 'note') return <p role="status">{part.text}</p>
  if (part.kind === 'call')
    return (
      <p className="call" data-state={part.status}>
        {part.label} <code>{JSON.stringify(part.params)}</code>
      </p>
    )
  return null
}

const actionsFor = ({ approve, decline, answer }: ReturnType<typeof useChat>, { id }: Ask) => ({
  approve: () => approve(id),
  decline: (feedback?: string) => decline(id, feedback),
  answer: (given: object) => void answer({ id, ...given }),
})
