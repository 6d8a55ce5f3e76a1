import { useEffect, useRef, type ReactNode } from 'react'
import { SHORTCUTS } from '../model/keys.ts'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'

export function Shortcuts({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="help"
      aria-labelledby="help-title"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close()
      }}
    >
      <header>
        <h2 id="help-title">{STRINGS.frame.shortcuts}</h2>
        <button
          type="button"
          className="quiet"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="cross" />
        </button>
      </header>
      <dl>
        {SHORTCUTS.map(([keys, about]) => (
          <div key={keys}>
            <dt>
              {keys.split(/ +/).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  )
}
