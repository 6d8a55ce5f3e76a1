import type { UploadedFile } from '@amodal/sdk/client'
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import type { Attachments } from '../model/attachments.ts'
import { STRINGS } from '../strings.ts'
import { AttachmentList } from './attachment-list.tsx'
import { Icon } from './icons.tsx'

export interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Nothing has been said yet. */
  readonly fresh: boolean
  readonly running: boolean
  readonly waiting: boolean
  /** Shown while nothing is written. */
  readonly placeholder: string
  /** Left out where no files are taken. */
  readonly attachments: Attachments | undefined
  readonly onSend: (text: string, files: readonly UploadedFile[]) => void
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
  attachments,
  onSend,
  onCancel,
}: ComposerProps): ReactNode {
  const [text, setText] = useState('')
  const hasFiles = attachments !== undefined && attachments.list.length > 0
  const isEmpty = text.trim() === '' && !hasFiles
  const isSendable = !isEmpty && attachments?.isReady !== false

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
    if (!isSendable) return
    onSend(text.trim(), attachments?.flush() ?? [])
    setText('')
  }
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const pasted = (event: ClipboardEvent): void => {
    if (!attachments || event.clipboardData.files.length === 0) return
    event.preventDefault()
    attachments.add(event.clipboardData.files)
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {attachments && (
        <>
          <AttachmentList list={attachments.list} onRemove={attachments.remove} />
          <AttachButton onPick={attachments.add} />
        </>
      )}
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label="Message"
        aria-keyshortcuts="/"
        enterKeyHint="send"
        autoComplete="off"
        placeholder={waiting ? STRINGS.composer.waiting : placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={pressed}
        onPaste={pasted}
      />
      {running && isEmpty ? (
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
          disabled={!isSendable}
          aria-label="Send"
          title="Send (Enter)"
        >
          <Icon name="send" />
        </button>
      )}
    </form>
  )
}

function AttachButton({ onPick }: { readonly onPick: (files: Iterable<File>) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const { add } = STRINGS.attachments
  return (
    <>
      <button
        type="button"
        className="quiet round attach"
        aria-label={add}
        title={add}
        onClick={() => input.current?.click()}
      >
        <Icon name="file" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        onChange={(event) => {
          onPick([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </>
  )
}
