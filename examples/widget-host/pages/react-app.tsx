import { defineAmodalChat, type AmodalChatElement } from '@amodal/widget'
import { createElement, useEffect, useRef, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

defineAmodalChat()

/** The widget in React: an element like any other, whose properties are set by a ref. */
function Help({ url }: { readonly url: string }): ReactNode {
  const chat = useRef<AmodalChatElement>(null)
  const [session, setSession] = useState('')
  useEffect(() => {
    const element = chat.current
    const onSession = (event: Event): void => setSession(String((event as CustomEvent).detail))
    element?.addEventListener('amodal-session', onSession)
    return () => element?.removeEventListener('amodal-session', onSession)
  }, [])
  return (
    <>
      <h1>A React app</h1>
      <p data-testid="session">{session}</p>
      <div className="chat">
        {createElement('amodal-chat', {
          ref: chat,
          url,
          'token-url': '/agent-token',
          position: 'inline',
          heading: 'Help',
        })}
      </div>
    </>
  )
}

const root = document.getElementById('app')
const url = new URL(import.meta.url).searchParams.get('agent') ?? ''
if (root) createRoot(root).render(<Help url={url} />)
