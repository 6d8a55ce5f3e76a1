import type { ReactNode } from 'react'
import { SHORTCUTS } from '../model/keys.ts'
import { STRINGS } from '../strings.ts'
import { Dialog } from './dialog.tsx'

export function Shortcuts({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog className="help" title={STRINGS.frame.shortcuts} onClose={onClose}>
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
    </Dialog>
  )
}
