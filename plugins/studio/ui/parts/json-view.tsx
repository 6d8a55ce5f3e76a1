import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** Characters that are shown at once; a result may have fifty thousand. */
const SHOWN = 8_000

/** A value or a text, as it is; JSON in a text is laid out. */
export function Raw({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  const laidOut = pretty(text)
  return (
    <figure className="code">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={laidOut} label={`Copy ${title.toLowerCase()}`} />
      </figcaption>
      <pre tabIndex={0} aria-label={title}>
        <code>
          {laidOut.length > SHOWN
            ? `${laidOut.slice(0, SHOWN)}\n… ${(laidOut.length - SHOWN).toLocaleString()} more characters: copy it to see them`
            : laidOut}
        </code>
      </pre>
    </figure>
  )
}

function pretty(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text // it only begins like JSON
  }
}
