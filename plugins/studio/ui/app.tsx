import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react'
import { Studio } from './frame/studio.tsx'
import { tabStorage, type Credentials } from './model/tab-storage.ts'
import { isUnauthorized, problemOf, serverFor, type Me } from './model/server.ts'
import { useTheme } from './model/theme.ts'
import { SignIn } from './views/sign-in.tsx'

type Admission =
  | { readonly state: 'asking' }
  | { readonly state: 'stranger'; readonly problem?: string }
  | { readonly state: 'in'; readonly me: Me }
  | { readonly state: 'away'; readonly problem: string }

/** Checks whether the server requires a credential, and asks for one if it does. */
export function App(): ReactNode {
  const [who, setWho] = useState(tabStorage.who)
  const [admission, setAdmission] = useState<Admission>({ state: 'asking' })
  const [theme, setTheme] = useTheme()
  const server = useMemo(() => serverFor(who), [who])

  const knock = useCallback(async () => {
    try {
      setAdmission({ state: 'in', me: await server.me() })
    } catch (cause) {
      setAdmission(
        isUnauthorized(cause)
          ? { state: 'stranger', ...(who && { problem: 'The server does not accept this key.' }) }
          : { state: 'away', problem: problemOf(cause) },
      )
    }
  }, [server, who])
  useEffect(() => void knock(), [knock])
  const isAway = admission.state === 'away'
  useEffect(() => {
    if (!isAway) return
    const leave = new AbortController()
    server.reach.back(leave.signal).then(knock, () => undefined) // a newer attempt is running
    return () => leave.abort()
  }, [isAway, server, knock])

  const enter = (given: Credentials | undefined): void => {
    tabStorage.storeCredentials(given)
    setWho(given)
  }
  switch (admission.state) {
    case 'asking':
      return null
    case 'away':
      return (
        <main className="door">
          <p className="note error" role="alert">
            {admission.problem}
          </p>
          <button type="button" className="primary" onClick={() => void knock()}>
            Try again
          </button>
        </main>
      )
    case 'stranger':
      return <SignIn problem={admission.problem} onEnter={enter} />
    case 'in': {
      const turnAway = (problem: string): void => setAdmission({ state: 'stranger', problem })
      return (
        <Studio
          server={server}
          me={admission.me}
          theme={theme}
          onTheme={setTheme}
          onLeave={who && (() => enter(undefined))}
          onStranger={turnAway}
        />
      )
    }
    default:
      return admission satisfies never
  }
}
