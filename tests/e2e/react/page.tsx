// The page of react.test.ts: a chat, and what its hook returns for the test to see.
import { StrictMode, useEffect, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { AmodalChat, AmodalProvider, useApprovals, useChat, type Chat } from '@amodalai/react'

declare global {
  interface Window {
    chat?: Chat
    /** Scripts of texts that have run. */
    attacks: number
  }
}

function Conversation({ session, onSession }: SessionProps): ReactNode {
  const chat = useChat({ session, onSession })
  useEffect(() => {
    window.chat = chat
  })
  return <AmodalChat chat={chat} welcome={<p>Welcome</p>} />
}

interface SessionProps {
  readonly session: string | undefined
  readonly onSession: (session: string | undefined) => void
}

/** Changes the session by the address, as an application with routes does. */
function App(): ReactNode {
  const [session, setSession] = useState(sessionOfAddress)
  useEffect(() => {
    const update = (): void => setSession(sessionOfAddress())
    window.addEventListener('popstate', update)
    return () => window.removeEventListener('popstate', update)
  }, [])
  const go = (next: string | undefined): void => {
    history.pushState(null, '', next === undefined ? '/' : `/?session=${next}`)
    setSession(next)
  }
  return (
    <>
      <button type="button" onClick={() => go(undefined)}>
        New chat
      </button>
      <Waiting />
      <Conversation session={session} onSession={go} />
    </>
  )
}

function Waiting(): ReactNode {
  const { pending } = useApprovals()
  return <output data-testid="waiting">{pending.length}</output>
}

const sessionOfAddress = (): string | undefined =>
  new URLSearchParams(location.search).get('session') ?? undefined

/** The token comes with the first visit, and is stored for this tab. */
function tokenOfTab(): string {
  const token = location.hash.slice(1)
  if (token !== '') {
    sessionStorage.setItem('token', token)
    history.replaceState(null, '', location.pathname + location.search)
  }
  return sessionStorage.getItem('token') ?? ''
}

const token = tokenOfTab()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <AmodalProvider url={location.origin} getToken={() => token}>
        <App />
      </AmodalProvider>
    </StrictMode>,
  )
