import { Markdown as SharedMarkdown } from '@amodal/react'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** Markdown of the model, or of the agent's files, in the looks of this page. */
export const Markdown = ({ text }: { readonly text: string }): ReactNode => (
  <SharedMarkdown text={text} code={code} classPrefix="" />
)

const code = (text: string, language: string | undefined): ReactNode => (
  <figure className="code">
    <figcaption>
      <span>{language?.split(/\s/)[0] || 'text'}</span>
      <CopyButton text={text} />
    </figcaption>
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
)
