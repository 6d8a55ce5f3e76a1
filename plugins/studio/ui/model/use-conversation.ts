import { useEffect, useRef, useState } from 'react'
import { Conversation } from './conversation.ts'
import { go, routeOf, type Route } from './route.ts'
import { isUnauthorized, problemOf, type Server } from './server.ts'

export interface Opened {
  readonly conversation: Conversation
  /** Another one for each that is opened. */
  readonly number: number
}

/** Where a conversation is shown. */
type View = 'chat' | 'configure'

/**
 * The conversation of the address. A new one keeps being the same when the server names it, and
 * when another view is looked at.
 */
export function useConversation(
  server: Server,
  view: View,
  route: Route,
  onStranger: (problem: string) => void,
): Opened {
  const isShown = route.view === view
  const session = route.view === view ? route.session : undefined
  const begun = (): Conversation => new Conversation(server, session, view === 'configure')
  const [now, setNow] = useState(() => ({
    conversation: begun(),
    number: 0,
    server,
    requested: session,
  }))
  const stranger = useRef(onStranger)
  stranger.current = onStranger
  // While it is drawn, and not after: what is written meanwhile would go to the one before.
  if (isShown && (now.server !== server || now.requested !== session)) {
    const isSame = now.server === server && now.conversation.session === session
    setNow(
      isSame
        ? { ...now, requested: session }
        : { conversation: begun(), number: now.number + 1, server, requested: session },
    )
  }

  const { conversation } = now
  useEffect(() => {
    conversation.onNamed = (named) => {
      // Whoever looks at another view meanwhile stays there.
      if (view === 'chat' || routeOf(location.hash).view === view) go({ view, session: named })
    }
    conversation.onFailed = (cause) => {
      if (isUnauthorized(cause)) stranger.current(problemOf(cause))
    }
    void conversation.open()
    return () => conversation.close()
  }, [conversation, view])

  return now
}
