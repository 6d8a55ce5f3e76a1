import {
  useEffect,
  useLayoutEffect,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { Icon } from './icons.tsx'

export interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Nothing has been said yet. */
  readonly fresh: boolean
  readonly running: boolean
  readonly waiting: boolean
  /** Shown while nothing is written. */
  readonly placeholder: string
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

/**
 * Where a message is written: Enter sends, Shift and Enter is a new line, Escape stops what runs.
 */
export function Composer({
  field,
  fresh,
  running,
  waiting,
  placeholder,
  onSend,
  onCancel,
}: ComposerProps): ReactNode {
  const [text, setText] = useState('')

  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${Math.min(area.scrollHeight, 240)}px`
  }, [text, field])

  useEffect(() => {
    // Whoever goes through the list of sessions stays there; a touch screen would show its
    // keyboard.
    const isElsewhere = document.activeElement !== null && document.activeElement !== document.body
    if ((fresh || !isElsewhere) && matchMedia('(pointer: fine)').matches)
      field.current?.focus({ preventScroll: true })
  }, [field, fresh])

  const send = (): void => {
    if (text.trim() === '') return
    onSend(text.trim())
    setText('')
  }
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label="Message"
        aria-keyshortcuts="/"
        enterKeyHint="send"
        autoComplete="off"
        placeholder={waiting ? 'Your answer above is awaited' : placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={pressed}
      />
      {running && text.trim() === '' ? (
        <button
          type="button"
          className="round"
          onClick={onCancel}
          aria-label="Stop"
          title="Stop (Esc)"
        >
          <Icon name="stop" />
        </button>
      ) : (
        <button
          type="submit"
          className="round primary"
          disabled={text.trim() === ''}
          aria-label="Send"
          title="Send (Enter)"
        >
          <Icon name="send" />
        </button>
      )}
    </form>
  )
}
