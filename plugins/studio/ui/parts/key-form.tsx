import { useState, type ReactNode } from 'react'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'

/** Asks for a key where a decision needs one; the conversation stays as it is. */
export function KeyForm({ onKey }: { readonly onKey: (key: string) => void }): ReactNode {
  const [text, setText] = useState('')
  const { keyForm } = STRINGS
  return (
    <form
      className="key-form"
      onSubmit={(event) => {
        event.preventDefault()
        onKey(keyIn(text))
      }}
    >
      <p>
        <Icon name="key" />
        {keyForm.why}
      </p>
      <label>
        {keyForm.label}
        <input
          type="password"
          autoFocus
          required
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button type="submit" className="primary" disabled={text.trim() === ''}>
        {keyForm.submit}
      </button>
    </form>
  )
}

/** The token of a link that the server has printed, or what was typed. */
const keyIn = (text: string): string => /#token=([\w-]+)/.exec(text)?.[1] ?? text.trim()
