// What react-server.test.ts renders on a server, and hydrates in a browser.
import { StrictMode, Suspense, type ReactNode } from 'react'
import { AmodalChat, AmodalProvider, useChat, useSession, type UseChatOptions } from '@amodal/react'

export interface ServerAppProps {
  readonly url: string
  readonly credential: string
  readonly session: string
  /** Read before; without it the page suspends until it is read. */
  readonly initial?: UseChatOptions['initial']
}

export const ServerApp = ({ url, credential, session, initial }: ServerAppProps): ReactNode => (
  <StrictMode>
    <AmodalProvider url={url} credential={credential}>
      {initial ? (
        <AmodalChat session={session} initial={initial} />
      ) : (
        <Suspense fallback={<p>Reading…</p>}>
          <Title session={session} />
          <SuspendedChat session={session} />
        </Suspense>
      )}
    </AmodalProvider>
  </StrictMode>
)

interface SessionProps {
  readonly session: string
}

function Title({ session: id }: SessionProps): ReactNode {
  const { session } = useSession(id, { suspense: true })
  return <h1>{session?.title}</h1>
}

function SuspendedChat({ session }: SessionProps): ReactNode {
  const chat = useChat({ session, suspense: true })
  return <AmodalChat chat={chat} />
}
