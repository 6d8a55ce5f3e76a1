import { useId, type ReactNode } from 'react'
import type { misfitIn } from '../../model/run-asks.ts'
import { Icon } from '../icons.tsx'

export interface AskFormProps {
  readonly title: string
  /** What the server says of the answer before; at its field where it names one. */
  readonly misfit: ReturnType<typeof misfitIn> | undefined
  readonly onSubmit: () => void
  readonly buttons: ReactNode
  readonly children: ReactNode
}

/** The form with which a run waits for a person. */
export function AskForm({ title, misfit, onSubmit, buttons, children }: AskFormProps): ReactNode {
  const heading = useId()
  return (
    <form
      className="ask"
      aria-labelledby={heading}
      data-open="true"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <header>
        <Icon name="question" />
        <h3 id={heading}>{title}</h3>
      </header>
      {children}
      {misfit && misfit.field === undefined && (
        <p className="note error" role="alert">
          {misfit.text}
        </p>
      )}
      <footer>{buttons}</footer>
    </form>
  )
}
