import { useState, type ReactNode } from 'react'
import type { Credentials } from '../model/tab-storage.ts'

/** Asks for a key if the server requires one. It is stored for this tab only. */
export function SignIn({
  problem,
  onEnter,
}: {
  readonly problem: string | undefined
  readonly onEnter: (who: Credentials) => void
}): ReactNode {
  const [key, setKey] = useState('')
  const [scope, setScope] = useState('')
  return (
    <main className="door">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onEnter({ key: key.trim(), scope: scope.trim() })
        }}
      >
        <span className="mark" aria-hidden="true" />
        <h1>Who asks?</h1>
        <p className="muted">
          This agent answers to those who have a key or a token. It is kept until this tab is
          closed.
        </p>
        {problem !== undefined && (
          <p className="note error" role="alert">
            {problem}
          </p>
        )}
        <label>
          Key or token
          <input
            type="password"
            autoFocus
            required
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        <details>
          <summary>On behalf of a scope</summary>
          <label>
            Scope
            <input
              type="text"
              autoComplete="off"
              spellCheck={false}
              value={scope}
              onChange={(event) => setScope(event.target.value)}
            />
          </label>
        </details>
        <button type="submit" className="primary wide" disabled={key.trim() === ''}>
          Continue
        </button>
      </form>
    </main>
  )
}
