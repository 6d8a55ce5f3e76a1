import { useEffect, useId, useRef, type ReactNode } from 'react'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'

export interface DialogProps {
  readonly className: string
  /** Its name, where it shows no title. */
  readonly label?: string
  /** Shown above its content, beside a button that closes it. */
  readonly title?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

/** A modal dialog. Escape and a click beside it close it; the focus goes back to where it was. */
export function Dialog({ className, label, title, onClose, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  const titleId = useId()
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      aria-labelledby={title === undefined ? undefined : titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) close()
      }}
      onKeyDown={(event) => {
        // it closes the dialog, and stops nothing that runs behind it
        if (event.key === 'Escape') event.stopPropagation()
      }}
    >
      {title !== undefined && (
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="quiet" aria-label={STRINGS.frame.close} onClick={close}>
            <Icon name="cross" />
          </button>
        </header>
      )}
      {typeof children === 'function' ? children(close) : children}
    </dialog>
  )
}
